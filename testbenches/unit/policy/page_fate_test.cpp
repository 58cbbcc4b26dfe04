// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: what becomes of each kind of isolated page (4.6), and what does a pass do to the lists?
#include "firmware/block/block.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/writeback.h"
#include "firmware/policy/linux_2_6.h"
#include "firmware/policy/mechanism/split_lru_scan.h"
#include "testbenches/unit/policy/reclaim_rig.h"

namespace weir::policy {
namespace {

using mm::Lru;

/// A file of which some pages are in the cache, on the inactive list, clean and unreferenced.
struct CachedFile {
    explicit CachedFile(ReclaimRig& the_rig, uint32_t page_count = 8) : rig(the_rig) {
        rig.bench.in_task([&] {
            file = &rig.bench.open();
            file->readahead.max_pages = 0;
            const hal::VirtAddr to = mm::user_buffer(hal::kPageBytes);
            for (uint32_t i = 0; i < page_count; ++i) {
                ASSERT_TRUE(mm::file_read(*file, i * hal::kPageBytes, to, hal::kPageBytes).ok());
            }
            mm::lru_add_drain();
            for (uint32_t i = 0; i < page_count; ++i) {
                page(i).clear(mm::kFrameReferenced | mm::kFrameReadahead);
            }
        });
    }
    mm::Frame& page(uint32_t index) { return *file->mapping.pages.lookup(index); }
    bool cached(uint32_t index) { return file->mapping.pages.lookup(index) != nullptr; }

    ReclaimRig& rig;
    mm::File* file = nullptr;
};

/// One turn of the inactive file list, in a task. want 1: each page is looked at once.
uint32_t scan_inactive(ReclaimRig& rig, ReclaimControl control = {}, uint32_t want = 32) {
    uint32_t freed = 0;
    rig.bench.in_task([&] {
        freed = shrink_inactive_list(rig.zone(), {Lru::InactiveFile, want, 12}, control);
    });
    return freed;
}

TEST(PageFate, OfACleanUnmappedPageIsToBeFreed) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    const auto free_now = [&] { return mm::free_frames(rig.zone()) + mm::pcp_frames(rig.zone()); };
    const uint64_t free_before = free_now();
    const uint32_t freed = scan_inactive(rig);
    EXPECT_GE(freed, 8u);
    EXPECT_FALSE(file.cached(0));
    EXPECT_FALSE(file.cached(7));
    EXPECT_GE(free_now(), free_before + 8);
    EXPECT_EQ(rig.zone().isolated[1], 0u);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgStealDirect), freed);
}

TEST(PageFate, OfAReferencedPageThatNobodyHasMappedIsToBeFreedToo) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    file.page(3).set(mm::kFrameReferenced);
    scan_inactive(rig);
    EXPECT_FALSE(file.cached(3));
}

TEST(PageFate, OfALockedPageIsToStay) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    file.page(3).set(mm::kFrameLocked);
    scan_inactive(rig);
    ASSERT_TRUE(file.cached(3));
    EXPECT_FALSE(file.cached(4));
    EXPECT_TRUE(file.page(3).test(mm::kFrameLru));
    EXPECT_EQ(file.page(3).use_count, 1);
}

TEST(PageFate, OfAPageInSomeoneElsesHandsIsToStay) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    mm::get_frame(file.page(3));
    scan_inactive(rig);
    EXPECT_TRUE(file.cached(3));
    EXPECT_FALSE(file.page(3).test(mm::kFrameLocked));
}

TEST(PageFate, OfAPageUnderWritebackIsToStayWithoutAWait) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    file.page(3).set(mm::kFrameWriteback);
    scan_inactive(rig);
    EXPECT_TRUE(file.cached(3));
    EXPECT_EQ(mm::lru_size(rig.zone(), Lru::ActiveFile), 0u);
    file.page(3).clear(mm::kFrameWriteback);
}

/// Makes a page dirty as write() would, without going through it.
void dirty(CachedFile& file, uint32_t index) {
    mm::set_frame_dirty(file.page(index));
}

TEST(PageFate, OfADirtyPageIsOneWriteAndAnotherScan) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    rig.bench.in_task([&] { dirty(file, 3); });
    rig.bench.disk().clear_transfers();
    scan_inactive(rig);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::NrVmscanWrite), 1u);
    EXPECT_EQ(rig.bench.disk().data_transfers(block::Direction::Write).size(), 1u);
    ASSERT_TRUE(file.cached(3));
    rig.bench.pass_ms(10);  // the write ends and the page is rotated to the old end
    EXPECT_FALSE(file.page(3).test(mm::kFrameDirty | mm::kFrameWriteback | mm::kFrameReclaim));
    scan_inactive(rig);
    EXPECT_FALSE(file.cached(3));
}

TEST(PageFate, OfADirtyPageOnACongestedDiskIsToStayUnlessKswapdComes) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    rig.bench.in_task([&] { dirty(file, 3); });
    rig.bench.disk().congested[static_cast<uint32_t>(block::IoClass::Async)] = true;
    scan_inactive(rig);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::NrVmscanWrite), 0u);
    EXPECT_TRUE(file.page(3).test(mm::kFrameDirty));
    ReclaimControl kswapd;
    kswapd.reclaimer = Reclaimer::Kswapd;
    scan_inactive(rig, kswapd);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::NrVmscanWrite), 1u);
}

TEST(PageFate, OfADirtyPageIsToStayWhereTheCallerMayNotWriteFiles) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    rig.bench.in_task([&] { dirty(file, 3); });
    ReclaimControl no_fs;
    no_fs.alloc_flags = mm::kAllocMayWait | mm::kAllocMayIo;
    scan_inactive(rig, no_fs);
    EXPECT_TRUE(file.page(3).test(mm::kFrameDirty));
    EXPECT_FALSE(file.cached(2));
}

TEST(PageFate, OfADirtyReferencedPageIsToStayOnce) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    rig.bench.in_task([&] { dirty(file, 3); });
    file.page(3).set(mm::kFrameReferenced);
    scan_inactive(rig, {}, 1);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::NrVmscanWrite), 0u);
    scan_inactive(rig, {}, 1);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::NrVmscanWrite), 1u);
}

TEST(PageFate, OfAMappedPageInUseIsToBecomeActiveAndOfAnIdleOneToBeUnmappedAndFreed) {
    ReclaimRig rig("2.6.32");
    CachedFile file(rig);
    rig.bench.in_task([&] {
        const auto map = mm::map_file(*kernel::current().space, *file.file, 0, 8 * hal::kPageBytes,
                                      mm::Sharing::Shared, false);
        ASSERT_TRUE(map.ok());
        mm::user_word(map.value() + 3 * hal::kPageBytes);
        mm::user_word(map.value() + 4 * hal::kPageBytes);
        mm::lru_add_drain();
        ASSERT_EQ(file.page(3).map_count, 1);
        mm::count_references(file.page(4));  // forgets that page 4 was just read
        for (const uint32_t i : {3u, 4u}) file.page(i).clear(mm::kFrameReferenced);
        ReclaimControl control;
        shrink_inactive_list(rig.zone(), {Lru::InactiveFile, 32, 12}, control);
        ASSERT_TRUE(file.cached(3));
        EXPECT_TRUE(file.page(3).test(mm::kFrameActive));
        EXPECT_FALSE(file.cached(4));
        EXPECT_GE(control.scanned_pages, 10u);  // mapped pages count twice
    });
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgActivate), 1u);
}

uint32_t active_files(ReclaimRig& rig) {
    return mm::lru_size(rig.zone(), Lru::ActiveFile);
}
uint32_t inactive_files(ReclaimRig& rig) {
    return mm::lru_size(rig.zone(), Lru::InactiveFile);
}

enum class Active { AsMany, OneMore };

/// Reads some 200 pages (the file system's own pages come on top) and activates so many of them
/// that the active list is as long as the inactive one, or longer by one.
std::unique_ptr<CachedFile> balanced_lists(ReclaimRig& rig, Active active) {
    const auto file = [&](uint32_t pages) { return std::make_unique<CachedFile>(rig, pages); };
    std::unique_ptr<CachedFile> result = file(200);
    const bool odd = (active_files(rig) + inactive_files(rig)) % 2 == 1;
    if (odd != (active == Active::OneMore)) result = file(201);
    rig.bench.in_task([&] {
        for (uint32_t i = 0; active_files(rig) < inactive_files(rig); ++i) {
            mm::activate(result->page(i));
        }
    });
    EXPECT_EQ(active_files(rig) - inactive_files(rig), active == Active::OneMore ? 1u : 0u);
    return result;
}

/// A pass that gives the active file list a turn of 32 frames and no other list one.
void pass_over_zone(ReclaimRig& rig) {
    rig.bench.in_task([&] {
        for (uint32_t& saved : rig.zone().saved_scan) saved = 0;
        rig.zone().saved_scan[static_cast<uint32_t>(Lru::ActiveFile)] = 32;
        ReclaimControl control;
        shrink_zone(rig.zone(), mm::kDefaultPriority, control);
    });
}

TEST(ActiveList, IsLeftAloneByEvictOnceAtEqualSizes) {
    ReclaimRig rig("2.6.33");
    use_switches(kLinux2633.switches);
    const auto file = balanced_lists(rig, Active::AsMany);
    const uint32_t before = active_files(rig);
    pass_over_zone(rig);
    EXPECT_EQ(active_files(rig), before);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgScanDirect), 0u);
}

TEST(ActiveList, IsAgedByEvictOnceWhenItIsLongerByOne) {
    ReclaimRig rig("2.6.33");
    use_switches(kLinux2633.switches);
    const auto file = balanced_lists(rig, Active::OneMore);
    const uint32_t before = active_files(rig);
    pass_over_zone(rig);
    EXPECT_EQ(active_files(rig), before - 32);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgRefill), 32u);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgDeactivate), 32u);
}

TEST(ActiveList, IsAlwaysAgedWithEvictOnceReverted) {
    ReclaimRig rig("2.6.33-revertevict");
    use_switches(kLinux2633RevertEvict.switches);
    const auto file = balanced_lists(rig, Active::AsMany);
    const uint32_t before = active_files(rig);
    pass_over_zone(rig);
    EXPECT_EQ(active_files(rig), before - 32);
}

TEST(ActiveList, TurnThatEvictOnceSkipsIsSpentOnTheInactiveListIn2632) {
    ReclaimRig rig("2.6.32");
    use_switches(kLinux2632.switches);
    const auto file = balanced_lists(rig, Active::AsMany);
    const uint32_t before = active_files(rig);
    pass_over_zone(rig);
    EXPECT_EQ(active_files(rig), before);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgScanDirect), 32u);
}

TEST(ScanCarry, OfTheZoneIsTakenByADirectReclaimerWhereItIsShared) {
    ReclaimRig rig("2.6.32");
    use_switches(kLinux2632.switches);
    CachedFile file(rig, 200);
    uint32_t& carry = rig.zone().saved_scan[static_cast<uint32_t>(Lru::InactiveFile)];
    carry = 32;
    rig.bench.in_task([&] {
        ReclaimControl control;
        shrink_zone(rig.zone(), mm::kDefaultPriority, control);
        EXPECT_EQ(control.reclaimed_pages, 32u);
    });
    EXPECT_EQ(carry, 0u);
}

TEST(ScanCarry, OfTheZoneIsNotTouchedWhereEachReclaimerHasItsOwn) {
    ReclaimRig rig("2.6.32");
    Switches s = kLinux2632.switches;
    s.shared_scan_carry = false;
    use_switches(s);
    CachedFile file(rig, 200);
    uint32_t& carry = rig.zone().saved_scan[static_cast<uint32_t>(Lru::InactiveFile)];
    carry = 32;
    rig.bench.in_task([&] {
        ReclaimControl control;
        shrink_zone(rig.zone(), mm::kDefaultPriority, control);
        EXPECT_EQ(control.reclaimed_pages, 0u);
    });
    EXPECT_EQ(carry, 32u);
}

}  // namespace
}  // namespace weir::policy
