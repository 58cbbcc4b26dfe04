// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Keys beside the machine: the workload, switches of the policy, what is recorded.
#include "testbenches/runner/config/key_builder.h"

namespace weir::runner {

namespace {

constexpr uint64_t kPsPerMs = 1'000'000'000;
constexpr uint64_t kMibBytes = 1 << 20;

/// A member of the run's workload.
#define W(expression)                                \
    Member<decltype(hal::WorkloadInfo::expression)>( \
        [](Settings & s) -> auto& { return s.run.workload.expression; })

/// Gives an Integer key a scale: the file's unit times `scale` is what is stored.
template <typename T>
void scale(Key& key, Member<T> member, uint64_t factor) {
    key.store = [member, factor](Settings& s, const Value& value) {
        member(s) = static_cast<T>(static_cast<uint64_t>(std::get<int64_t>(value.data)) * factor);
    };
    key.load = [member, factor](const Settings& s) {
        return Value{static_cast<int64_t>(member(const_cast<Settings&>(s)) / factor)};
    };
}

constexpr const char* kPhaseNames[] = {"write", "rewrite", "read", "reread"};

void bind_phases(Key& key) {
    key.store = [](Settings& s, const Value& value) {
        s.run.workload.phases = 0;
        for (const Value& item : std::get<std::vector<Value>>(value.data)) {
            for (uint32_t bit = 0; bit < std::size(kPhaseNames); ++bit) {
                if (std::get<std::string>(item.data) == kPhaseNames[bit]) {
                    s.run.workload.phases |= 1u << bit;
                }
            }
        }
    };
    key.load = [](const Settings& s) {
        std::vector<Value> items;
        for (uint32_t bit = 0; bit < std::size(kPhaseNames); ++bit) {
            if ((s.run.workload.phases >> bit & 1) != 0) {
                items.push_back(Value{std::string(kPhaseNames[bit])});
            }
        }
        return Value{items};
    };
}

void add_workload_keys(std::vector<Key>& keys) {
    KeyBuilder add(keys, "workload.");
    add.choice<hal::WorkloadKind>("kind", W(kind), {"iozone", "memset"}, "Which program runs.");
    add.integer<uint32_t>("threads", W(threads), {1, 64}, "tasks", "Tasks that run it at once.");
    Key& file = add.integer<uint64_t>("file_mib", W(file_bytes), {1, 1 << 20}, "MiB",
                                      "iozone: size of each task's file.");
    scale<uint64_t>(file, W(file_bytes), kMibBytes);
    Key& record = add.integer<uint32_t>("record_kib", W(record_bytes), {4, 16'384, 4}, "KiB",
                                        "iozone: bytes of one read or write call.");
    scale<uint32_t>(record, W(record_bytes), 1024);
    Key& phases = add.add("phases", KeyType::Texts, "", "iozone: phases, run in this order.");
    phases.choices = {kPhaseNames, kPhaseNames + std::size(kPhaseNames)};
    bind_phases(phases);
    add.boolean<uint32_t>("direct", W(direct), "iozone: direct I/O, past the page cache.");
    add.boolean<uint32_t>("drop_caches", W(drop_caches),
                          "iozone: clean caches are dropped before each phase.");
    add.boolean<uint32_t>("one_disk_per_task", W(one_disk_per_task),
                          "iozone: each task has a disk of its own; false: all on the first.");
    Key& region = add.integer<uint64_t>("memset_mib", W(memset_bytes), {1, 1 << 20}, "MiB",
                                        "memset: size of each task's anonymous region.");
    scale<uint64_t>(region, W(memset_bytes), kMibBytes);
    add.integer<uint32_t>("memset_passes", W(memset_passes), {1, 1000}, "passes",
                          "memset: how often the region is stored over.");
    add.boolean<uint32_t>("verify", W(verify), "Every page that is read is checked.");
}

void add_policy_keys(std::vector<Key>& keys) {
    struct Switch {
        const char* name;
        uint32_t hal::PolicyOverrides::*member;
        const char* sentence;
        const char* word = nullptr;  // stands for a value beside false and true
        uint32_t word_value = 0;
    };
    using O = hal::PolicyOverrides;
    constexpr Switch kSwitches[] = {
        {"shared_scan_carry", &O::shared_scan_carry,
         "All reclaimers of a zone share the saved-up scan amounts."},
        {"kswapd_nap_before_exit_test", &O::kswapd_nap_before_exit_test,
         "kswapd naps before it tests whether its pass made progress."},
        {"kswapd_tests_after_shrink", &O::kswapd_tests_after_shrink,
         "kswapd ends with the pass that brings the zone above its high mark."},
        {"kswapd_skips_nap_below_min", &O::kswapd_skips_nap_below_min,
         "kswapd does not nap while the zone is below its min mark."},
        {"kswapd_probation", &O::kswapd_probation,
         "kswapd sleeps HZ/10 on probation before it sleeps for good."},
        {"kswapd_unlimited_target", &O::kswapd_unlimited_target,
         "Direct reclaim leaves a zone at 32 reclaimed frames, not past them; kswapd never does."},
        {"approximate_free_count", &O::approximate_free_count,
         "Each CPU keeps a private delta of the free count."},
        {"metadata_on_active_list", &O::metadata_on_active_list,
         "File-system metadata becomes active by use."},
        {"evict_once", &O::evict_once,
         "The active file list shrinks only while it is the larger one."},
        {"skipped_active_scan_takes_inactive", &O::skipped_active_scan_takes_inactive,
         "The turn of an active list that is skipped goes to the inactive list."},
        {"wake_needs_below_off_mark", &O::wake_needs_below_off_mark,
         "A completion wakes congestion sleepers only below the off mark."},
        {"completion_cost", &O::completion_cost,
         "Completion work is charged to the interrupted CPU."},
        {"per_cpu_lists", &O::per_cpu_lists, "Freed frames go to lists of each CPU first."},
        {"watermark_wait", &O::watermark_wait,
         "Patch 1 of 3: the allocator naps on a watermark queue."},
        {"wake_on_bulk_free", &O::wake_on_bulk_free,
         "Patch 2 of 3: a batch that returns to the zone wakes that queue; only: nothing else "
         "does.",
         "only", hal::kBulkFreeOnly},
        {"wakeable_kswapd_nap", &O::wakeable_kswapd_nap,
         "Patch 3 of 3: kswapd naps where allocators can wake it."},
        {"watermark_wait_checks_first", &O::watermark_wait_checks_first,
         "The mark is tested again before the nap."},
        {"watermark_queue_global", &O::watermark_queue_global,
         "One watermark queue for the whole allocator."},
    };
    static_assert(std::size(kSwitches) == sizeof(O) / sizeof(uint32_t), "an override has no key");
    KeyBuilder add(keys, "policy.");
    for (const Switch& entry : kSwitches) {
        Key& key = add.add(entry.name, KeyType::Boolean, "", entry.sentence);
        if (entry.word != nullptr) key.choices = {entry.word};
        key.choices.emplace_back("from_policy");
        key.store = [entry](Settings& s, const Value& value) {
            uint32_t& field = s.run.overrides.*entry.member;
            if (const auto* on = std::get_if<bool>(&value.data)) {
                field = uint32_t{*on};
            } else {
                field = std::get<std::string>(value.data) == "from_policy" ? hal::kFromPolicy
                                                                           : entry.word_value;
            }
        };
        key.load = [entry](const Settings& s) {
            const uint32_t value = s.run.overrides.*entry.member;
            if (value == hal::kFromPolicy) return Value{std::string("from_policy")};
            if (entry.word != nullptr && value == entry.word_value) {
                return Value{std::string(entry.word)};
            }
            return Value{value != 0};
        };
    }
}

/// A member of the output options.
#define R(expression)                                       \
    Member<decltype(waveforms::OutputOptions::expression)>( \
        [](Settings & s) -> auto& { return s.record.expression; })

void add_record_keys(std::vector<Key>& keys) {
    KeyBuilder add(keys, "record.");
    add.choice<waveforms::WaveFormat>("wave", R(wave), {"none", "fst", "vcd"},
                                      "Format of the waveform.");
    add.boolean<bool>("ftrace", R(ftrace), "ftrace.txt is written.");
    add.boolean<bool>("vmstat", R(vmstat), "vmstat.txt is written.");
    add.boolean<bool>("naps", R(naps), "naps.csv is written.");
    Key& paths = add.add("wave_paths", KeyType::Texts, "",
                         "Signals whose path begins so are in the waveform; []: all.");
    paths.store = [](Settings& s, const Value& value) {
        s.record.wave_paths.clear();
        for (const Value& item : std::get<std::vector<Value>>(value.data)) {
            s.record.wave_paths.push_back(std::get<std::string>(item.data));
        }
    };
    paths.load = [](const Settings& s) {
        std::vector<Value> items;
        for (const std::string& path : s.record.wave_paths) {
            items.push_back(Value{path});
        }
        return Value{items};
    };
    Key& begin = add.integer<uint64_t>("window_begin_ms", R(window_begin_ps), {0, 86'400'000}, "ms",
                                       "Wave and ftrace begin at this simulated time.");
    scale<uint64_t>(begin, R(window_begin_ps), kPsPerMs);
    Key& end = add.integer_or<uint64_t>("window_end_ms", R(window_end_ps), {1, 86'400'000}, "end",
                                        ~0ull, "ms", "Wave and ftrace end at this time.");
    end.store = [](Settings& s, const Value& value) {
        const auto* ms = std::get_if<int64_t>(&value.data);
        s.record.window_end_ps = ms != nullptr ? static_cast<uint64_t>(*ms) * kPsPerMs : ~0ull;
    };
    end.load = [](const Settings& s) {
        return s.record.window_end_ps == ~0ull
                   ? Value{std::string("end")}
                   : Value{static_cast<int64_t>(s.record.window_end_ps / kPsPerMs)};
    };
    Key& size = add.integer<uint64_t>("max_mib", R(max_bytes), {1, 1 << 20}, "MiB",
                                      "Size at which a run's wave and ftrace stop, saying so.");
    scale<uint64_t>(size, R(max_bytes), kMibBytes);
}

}  // namespace

void add_run_keys(std::vector<Key>& keys) {
    add_workload_keys(keys);
    add_policy_keys(keys);
    add_record_keys(keys);
    KeyBuilder add(keys, "");
    add.integer<uint64_t>(
        "seed", [](Settings& s) -> uint64_t& { return s.run.seed; }, {0, int64_t{1} << 62}, "",
        "Seed of every random choice.");
    add.integer_or<uint64_t>(
        "time_limit_ms", [](Settings& s) -> uint64_t& { return s.time_limit_ms; }, {1, 86'400'000},
        "none", uint64_t{0}, "ms", "Simulated time at which a run is ended.");
}

#undef W
#undef R

}  // namespace weir::runner
