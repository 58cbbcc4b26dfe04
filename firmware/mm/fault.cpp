// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Page faults.
// - handle_fault() picks the kind of fault by what the entry holds.
// - Each kind gets its frame without locks (it may sleep), then installs it only if the entry is
//   still what it was; otherwise the access is simply retried.
#include "firmware/mm/fault.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/address_space_internal.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/rmap.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

struct FaultSite {
    AddressSpace& space;
    Area& area;
    hal::VirtAddr page;
    hal::Access access;
    Pte* pte;
    Pte old;  // the entry as the fault found it

    bool write() const { return access == hal::Access::Write; }
};

enum class Weight : uint8_t { Minor, Major };

struct Outcome {
    hal::Error error = hal::Error::None;
    Weight weight = Weight::Minor;
};

/// Permissions of an entry that this access may use at once. Writable: stores need no more faults.
uint64_t permissions(const FaultSite& site, bool writable) {
    uint64_t bits = kPteRead | kPteAccessed;
    if (site.area.executable) bits |= kPteExecute;
    if (writable) bits |= kPteWrite;
    if (writable && site.write()) bits |= kPteDirty;
    return bits;
}

/// Maps a frame where nothing was mapped. The caller's use of it becomes the entry's.
/// False: the entry has changed since the fault.
bool install(const FaultSite& site, Frame& f, uint64_t permission_bits) {
    kernel::SpinGuard guard(site.space.page_table_lock);
    if (*site.pte != site.old) return false;
    if (site.old.swapped()) --site.space.swapped_pages;
    *site.pte = Pte::leaf(pfn_of(f), permission_bits);
    ++site.space.resident_pages;
    add_mapping_count(f);
    hal::spend(hal::Op::WalkPte);
    return true;
}

/// A new frame of anonymous memory, content not yet set. Null: no memory.
Frame* new_anon_frame(const FaultSite& site) {
    Frame* f = alloc_frame({0, kAllocUser});
    if (f == nullptr) return nullptr;
    set_anon(*f, *site.area.anon, site.page);
    // New anonymous memory starts on the active list, as in 2.6.28 and later.
    f->set(kFrameUptodate | kFrameActive);
    return f;
}

/// First touch of anonymous memory. Leaves out: one shared zero page for loads.
Outcome fault_anon(const FaultSite& site) {
    Frame* f = new_anon_frame(site);
    if (f == nullptr) return {hal::Error::NoMemory};
    hal::clear_bytes(frame_bytes(*f), hal::kPageBytes);
    if (install(site, *f, permissions(site, site.area.writable))) {
        lru_add(*f);
    } else {
        put_frame(*f);
    }
    return {};
}

/// True if the locked frame still is the copy of a slot.
bool is_copy_of(const Frame& f, SwapSlot slot) {
    return f.test(kFrameSwapCache) && f.index == slot.value;
}

Outcome fault_swap(const FaultSite& site) {
    const SwapSlot slot = site.old.slot();
    Frame* cached = find_frame(swap_mapping(), slot.value);
    Outcome outcome;
    if (cached == nullptr || !cached->test(kFrameUptodate)) outcome.weight = Weight::Major;
    if (cached != nullptr) put_frame(*cached);

    const hal::Result<Frame*> found = swap_in(slot);
    if (!found.ok()) {
        outcome.error = found.error() == hal::Error::Again ? hal::Error::None : found.error();
        return outcome;
    }
    Frame& f = *found.value();
    lock_frame(f);
    bool installed = false;
    if (is_copy_of(f, slot)) {
        set_anon(f, *site.area.anon, site.page);
        // Its only user may write at once; a later first store is another, cheap, fault.
        installed = install(site, f, permissions(site, site.write()));
    }
    if (installed) {
        swap_put(slot);
        if (site.write() || swap_mostly_full()) try_to_free_swap(f);
    }
    unlock_frame(f);
    if (!installed) put_frame(f);
    return outcome;
}

/// A store to a private file page: the task gets its own copy.
Outcome copy_page(const FaultSite& site, Frame& from) {
    Frame* f = new_anon_frame(site);
    if (f == nullptr) return {hal::Error::NoMemory};
    hal::copy_bytes(frame_bytes(*f), frame_bytes(from), hal::kPageBytes);
    bool replaced = false;
    {
        kernel::SpinGuard guard(site.space.page_table_lock);
        if (*site.pte == site.old) {
            *site.pte = Pte::leaf(pfn_of(*f), permissions(site, true));
            add_mapping_count(*f);
            if (!site.old.valid()) ++site.space.resident_pages;
            replaced = true;
        }
        hal::spend(hal::Op::WalkPte);
    }
    if (!replaced) {
        put_frame(*f);
        return {};
    }
    if (site.old.valid()) {
        flush_page(site.space, site.page);
        drop_mapping_count(from);
        put_frame(from);  // the old entry's use
    }
    lru_add(*f);
    return {};
}

void account_dirty(Frame& f) {
    Mapping* mapping = f.mapping;
    set_frame_dirty(f);
    if (mapping != nullptr && pressure().page_dirtied != nullptr) {
        pressure().page_dirtied(*mapping, 1);
    }
}

Outcome fault_file(const FaultSite& site) {
    File& file = *site.area.file;
    const uint64_t page = file_page_of(site.area, site.page);
    Frame* cached = find_frame(file.mapping, page);
    Outcome outcome;
    if (cached == nullptr || !cached->test(kFrameUptodate)) outcome.weight = Weight::Major;
    if (cached != nullptr) put_frame(*cached);

    const hal::Result<Frame*> found = file_page_for_fault(file, page);
    if (!found.ok()) {
        // A page beyond the end of the file is an address that means nothing.
        const bool beyond = found.error() == hal::Error::OutOfRange;
        outcome.error = beyond ? hal::Error::BadAddress : found.error();
        return outcome;
    }
    Frame& f = *found.value();
    if (site.write() && site.area.sharing == Sharing::Private) {
        outcome.error = copy_page(site, f).error;
        put_frame(f);
        return outcome;
    }
    // A load maps without the right to write, so that the first store is seen.
    get_frame(f);
    if (!install(site, f, permissions(site, site.write()))) {
        put_frame(f);
    } else if (site.write()) {
        account_dirty(f);
    }
    put_frame(f);
    return outcome;
}

/// Lets stores through an entry that is there. False: the entry has changed since the fault.
bool make_writable(const FaultSite& site) {
    kernel::SpinGuard guard(site.space.page_table_lock);
    // Only hardware bits may differ from what the fault found.
    constexpr uint64_t kHardwareBits = kPteAccessed | kPteDirty;
    if (((site.pte->bits ^ site.old.bits) & ~kHardwareBits) != 0) return false;
    site.pte->bits |= kPteWrite | kPteDirty | kPteAccessed;
    get_frame(frame_of(site.old.pfn()));
    hal::spend(hal::Op::WalkPte);
    flush_page(site.space, site.page);
    return true;
}

/// The entry is valid: a store to a write-protected page, or a stale translation.
Outcome fault_present(const FaultSite& site) {
    Frame& f = frame_of(site.old.pfn());
    if (!site.write() || site.old.test(kPteWrite)) {
        flush_page(site.space, site.page);
        return {};
    }
    if (f.anon == nullptr && site.area.sharing == Sharing::Private) {
        get_frame(f);
        const Outcome outcome = copy_page(site, f);
        put_frame(f);
        return outcome;
    }
    if (!make_writable(site)) return {};
    if (f.anon == nullptr) {
        account_dirty(f);
    } else if (f.test(kFrameSwapCache) && try_lock_frame(f)) {
        try_to_free_swap(f);
        unlock_frame(f);
    }
    put_frame(f);
    return {};
}

Outcome dispatch(const FaultSite& site) {
    if (site.old.valid()) return fault_present(site);
    if (site.old.swapped()) return fault_swap(site);
    if (site.area.file != nullptr) return fault_file(site);
    return fault_anon(site);
}

}  // namespace

hal::Status handle_fault(AddressSpace& space, hal::VirtAddr addr, hal::Access access) {
    Area* area = area_at(space, addr);
    if (area == nullptr) return hal::Error::BadAddress;
    if (access == hal::Access::Write && !area->writable) return hal::Error::BadAddress;
    Pte* pte = ensure_pte(space, addr);
    if (pte == nullptr) return hal::Error::NoMemory;
    hal::spend(hal::Op::WalkPte);
    const FaultSite site{space, *area, page_begin(addr), access, pte, *pte};
    const Outcome outcome = dispatch(site);
    if (outcome.error != hal::Error::None) return outcome.error;
    kernel::Task& task = kernel::current();
    if (outcome.weight == Weight::Major) {
        count(VmCounter::PgMajFault);
        ++task.maj_faults;
    } else {
        ++task.min_faults;
    }
    return {};
}

namespace {

/// True: the fault may be retried after out of memory.
bool retry_without_memory(kernel::Task& task) {
    if ((task.flags & kernel::kTaskDying) != 0) return false;
    const auto out_of_memory = pressure().out_of_memory;
    if (out_of_memory != nullptr && out_of_memory(0)) {
        kernel::cond_resched();  // whoever was chosen must run to die
        return (task.flags & kernel::kTaskDying) == 0;
    }
    kernel::kill_task(task, static_cast<uint64_t>(hal::Error::NoMemory));
    return false;
}

bool resolve(kernel::Task& task, hal::VirtAddr addr, hal::Access access) {
    if (task.space == nullptr) return false;
    for (;;) {
        const hal::Status status = handle_fault(*task.space, addr, access);
        switch (status.error()) {
            case hal::Error::None:
                return true;
            case hal::Error::NoMemory:
                if (!retry_without_memory(task)) return false;
                break;
            case hal::Error::BadAddress:
            case hal::Error::Killed:
                return false;
            default:
                kernel::kill_task(task, static_cast<uint64_t>(status.error()));
                return false;
        }
    }
}

}  // namespace

bool on_page_fault(hal::VirtAddr addr, hal::Access access) {
    hal::spend(hal::Op::FaultEntry);
    count(VmCounter::PgFault);
    kernel::Task& task = kernel::current();
    task.fault_addr = addr.value;
    return resolve(task, addr, access);
}

}  // namespace weir::mm
