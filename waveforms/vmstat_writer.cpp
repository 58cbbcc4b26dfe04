// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/vmstat_writer.h"

#include "firmware/kernel/counters.h"

#include <fmt/format.h>

namespace weir::waveforms {

namespace {

constexpr uint32_t kLinesPerHeading = 21;
constexpr const char* kHeading =
    "   procs                      memory    swap          io     system         cpu\n"
    " r  b  w   swpd   free   buff  cache  si  so    bi    bo   in    cs  us  sy  id\n";

}  // namespace

VmstatWriter::VmstatWriter(const std::filesystem::path& file)
    : file_(file), previous_(kernel::kVmCounterCount, 0) {}

void VmstatWriter::sample(uint64_t time_ps, const std::vector<uint64_t>& counters) {
    if (time_ps <= previous_time_ps_ || counters.size() != previous_.size()) return;
    using kernel::VmCounter;
    const auto now = [&](VmCounter c) { return counters[static_cast<uint32_t>(c)]; };
    const auto delta = [&](VmCounter c) { return now(c) - previous_[static_cast<uint32_t>(c)]; };
    const auto pages_kb = [](uint64_t pages) { return pages * 4; };
    const uint64_t elapsed_ps = time_ps - previous_time_ps_;
    const auto rate = [&](uint64_t amount) {
        return static_cast<uint64_t>(static_cast<__uint128_t>(amount) * 1'000'000'000'000ull /
                                     elapsed_ps);
    };
    const uint64_t user_ns = delta(VmCounter::UserNs);
    const uint64_t system_ns = delta(VmCounter::SystemNs);
    const uint64_t idle_ns = delta(VmCounter::IdleNs) + delta(VmCounter::IoWaitNs);
    const uint64_t all_ns = user_ns + system_ns + idle_ns;
    const auto percent = [&](uint64_t part) {
        return all_ns ? (part * 100 + all_ns / 2) / all_ns : 0;
    };

    if (line_count_++ % kLinesPerHeading == 0) file_.write(kHeading);
    const uint64_t metadata_pages = now(VmCounter::NrBufferPages);
    const uint64_t file_pages = now(VmCounter::NrFilePages);
    file_.write(fmt::format(
        "{:2} {:2} {:2} {:6} {:6} {:6} {:6} {:3} {:3} {:5} {:5} {:4} {:5} {:3} {:3} {:3}\n",
        now(VmCounter::RunQueueLength), now(VmCounter::BlockedTasks), 0,
        pages_kb(now(VmCounter::NrSwapUsed)), pages_kb(now(VmCounter::NrFreePages)),
        pages_kb(metadata_pages),
        pages_kb(file_pages > metadata_pages ? file_pages - metadata_pages : 0),
        rate(pages_kb(delta(VmCounter::PswpIn))), rate(pages_kb(delta(VmCounter::PswpOut))),
        rate(delta(VmCounter::PgPgIn)), rate(delta(VmCounter::PgPgOut)),
        rate(delta(VmCounter::Interrupts)), rate(delta(VmCounter::ContextSwitches)),
        percent(user_ns), percent(system_ns), percent(idle_ns)));
    previous_ = counters;
    previous_time_ps_ = time_ps;
}

}  // namespace weir::waveforms
