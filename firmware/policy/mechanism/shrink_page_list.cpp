// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The fate of each isolated page. Source: fact book 4.6, shrink_page_list and pageout.
// A streaming read sends every page of the file through here once: decide() takes a clean page that
// nobody maps straight to its removal from the page cache.
#include "firmware/block/block.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/swap.h"
#include "firmware/policy/mechanism/page_use.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"
#include "firmware/policy/mechanism/split_lru_scan.h"

namespace weir::policy {

namespace {

// flags of mm_vmscan_writepage
constexpr uint32_t kWriteAnon = 1u << 0;
constexpr uint32_t kWriteFile = 1u << 1;
constexpr uint32_t kWriteSync = 1u << 2;
constexpr uint32_t kWriteAsync = 1u << 3;

/// The cache's use and the reclaimer's own: nobody else holds the page.
constexpr int32_t kFreeableUses = 2;

enum class Verdict : uint8_t {
    Free,        // removed from its cache, still locked, one use left
    Keep,        // not locked (any more)
    KeepLocked,  // unlock, then keep
    Activate,    // unlock, then keep as active
};

/// Frames on their way to the per-CPU list, given back 14 at a time.
class FreedFrames {
  public:
    ~FreedFrames() { give_back(); }
    void add(mm::Frame& f) {
        frames_[count_++] = &f;
        if (count_ == mm::kPagevecFrames) give_back();
    }

  private:
    void give_back() {
        for (uint32_t i = 0; i < count_; ++i) mm::put_frame(*frames_[i]);
        count_ = 0;
    }

    mm::Frame* frames_[mm::kPagevecFrames];
    uint32_t count_ = 0;
};

/// Swap writes ignore congestion, and so do kswapd and a writer to that very device. Source: 4.6.
bool may_write_to_device(const mm::Frame& f, const ReclaimControl& control) {
    if (f.test(mm::kFrameSwapCache) || control.is_kswapd()) return true;
    if (kernel::current().writes_to == f.mapping->device) return true;
    return !block::congested(*f.mapping->device, block::IoClass::Async);
}

/// Starts the write of a dirty page. Verdict::Free here means: it turned out clean, go on.
Verdict pageout(mm::Frame& f, ReclaimControl& control, Pageout mode) {
    if (f.use_count != kFreeableUses || f.mapping == nullptr) return Verdict::KeepLocked;
    if (!may_write_to_device(f, control)) return Verdict::KeepLocked;
    const uint32_t type = f.test(mm::kFrameSwapBacked) ? kWriteAnon : kWriteFile;
    f.set(mm::kFrameReclaim);
    switch (mm::write_frame_for_reclaim(f)) {
        case mm::PageoutResult::Clean:
            f.clear(mm::kFrameReclaim);
            return Verdict::Free;
        case mm::PageoutResult::Busy:
        case mm::PageoutResult::Error:
            f.clear(mm::kFrameReclaim);
            return Verdict::KeepLocked;
        case mm::PageoutResult::Submitted:
            break;
    }
    kernel::count(kernel::VmCounter::NrVmscanWrite);
    hal::trace(hal::Event::VmscanWritepage, mm::pfn_of(f).value,
               type | (mode == Pageout::Sync ? kWriteSync : kWriteAsync));
    if (mode == Pageout::Sync) mm::wait_frame_writeback(f);
    if (!f.test(mm::kFrameWriteback)) f.clear(mm::kFrameReclaim);
    // It may have ended already; then it can be taken at once.
    if (f.test(mm::kFrameWriteback | mm::kFrameDirty) || !mm::try_lock_frame(f)) {
        return Verdict::Keep;
    }
    return f.test(mm::kFrameWriteback | mm::kFrameDirty) ? Verdict::KeepLocked : Verdict::Free;
}

/// The rules for pages that are anonymous, mapped or dirty.
Verdict prepare_page(mm::Frame& f, ReclaimControl& control, Pageout mode, bool referenced) {
    bool may_enter_fs = control.may_fs() || (f.test(mm::kFrameSwapCache) && control.may_io());
    if (f.test(mm::kFrameSwapBacked) && !f.test(mm::kFrameSwapCache)) {
        if (!control.may_io()) return Verdict::KeepLocked;
        if (!mm::add_to_swap(f)) return Verdict::Activate;
        may_enter_fs = true;
    }
    if (f.map_count > 0 && f.mapping != nullptr && !mm::try_to_unmap(f)) return Verdict::Activate;
    if (!f.test(mm::kFrameDirty)) return Verdict::Free;
    if (control.order <= kCostlyOrder && referenced) return Verdict::KeepLocked;
    if (!may_enter_fs || !control.may_writepage) return Verdict::KeepLocked;
    return pageout(f, control, mode);
}

Verdict decide(mm::Frame& f, ReclaimControl& control, Pageout mode) {
    if (!mm::try_lock_frame(f)) return Verdict::Keep;
    ++control.scanned_pages;
    if (f.test(mm::kFrameUnevictable)) [[unlikely]]
        return Verdict::KeepLocked;
    if (f.map_count > 0 || f.test(mm::kFrameSwapCache)) ++control.scanned_pages;
    if (f.test(mm::kFrameWriteback)) [[unlikely]] {
        const bool may_wait = control.may_fs() || (f.test(mm::kFrameSwapCache) && control.may_io());
        if (mode != Pageout::Sync || !may_wait) return Verdict::KeepLocked;
        mm::wait_frame_writeback(f);
    }
    const bool referenced = take_references(f).count != 0;
    if (referenced && control.order <= kCostlyOrder && in_use(f)) return Verdict::Activate;
    if (f.map_count > 0 || f.test(mm::kFrameSwapBacked | mm::kFrameDirty)) {
        const Verdict verdict = prepare_page(f, control, mode, referenced);
        if (verdict != Verdict::Free) return verdict;
    }
    if (f.mapping == nullptr || !mm::remove_mapping(f)) return Verdict::KeepLocked;
    return Verdict::Free;
}

/// More than half of swap in use: an activated page had better give its slot back.
bool swap_is_full() {
    return mm::swap_free_slots() * 2 < mm::swap_total_slots();
}

}  // namespace

PageListResult shrink_page_list(mm::FrameList& frames, ReclaimControl& control, Pageout mode) {
    PageListResult result;
    FreedFrames freed;
    const uint32_t total = frames.size();
    hal::spend(hal::Op::ScanFrame, total);
    for (uint32_t i = 0; i < total; ++i) {
        mm::Frame& f = *frames.pop_front();
        switch (decide(f, control, mode)) {
            case Verdict::Free:
                // Nobody can be waiting for the lock: a waiter would hold a use. The isolated flag
                // stays: it tells the per-CPU list that the frame is cold.
                f.clear(mm::kFrameLocked | mm::kFrameReclaim);
                freed.add(f);
                ++result.reclaimed_pages;
                continue;
            case Verdict::Activate:
                if (f.test(mm::kFrameSwapCache) && swap_is_full()) mm::try_to_free_swap(f);
                f.set(mm::kFrameActive);
                ++result.activated_pages;
                mm::unlock_frame(f);
                break;
            case Verdict::KeepLocked:
                mm::unlock_frame(f);
                break;
            case Verdict::Keep:
                break;
        }
        frames.push_back(f);
    }
    if (result.activated_pages != 0) {
        kernel::count(kernel::VmCounter::PgActivate, result.activated_pages);
    }
    return result;
}

}  // namespace weir::policy
