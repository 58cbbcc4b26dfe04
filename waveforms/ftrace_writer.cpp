// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/ftrace_writer.h"

#include "waveforms/nap_collector.h"

#include <fmt/format.h>

namespace weir::waveforms {

namespace {

constexpr uint32_t kBlockMajor = 8;  // "sd" disks; minor = 16 x device number, as in Linux

std::string device_name(uint64_t device) {
    return fmt::format("{},{}", kBlockMajor, device * 16);
}

std::string rwbs(uint64_t bits) {
    std::string text;
    if (bits & hal::kRwbsFlush) text += 'F';
    text += bits & hal::kRwbsWrite ? 'W' : 'R';
    if (bits & hal::kRwbsAhead) text += 'A';
    if (bits & hal::kRwbsSync) text += 'S';
    if (bits & hal::kRwbsMeta) text += 'M';
    return text;
}

std::string gfp_flags(uint64_t flags) {
    std::string text = "GFP_HIGHUSER_MOVABLE";
    if (flags != 0) text += fmt::format("|0x{:x}", flags);
    return text;
}

/// "a b c" and the arguments -> "a=1 b=2 c=3".
std::string key_values(const probe::EventRecord& record) {
    std::string text;
    std::string_view names = hal::kEventInfo[static_cast<uint32_t>(record.event)].arguments;
    for (uint32_t i = 0; !names.empty() && i < 6; ++i) {
        const size_t space = names.find(' ');
        const std::string_view name = names.substr(0, space);
        if (!text.empty()) text += ' ';
        text += fmt::format("{}={}", name, record.args[i]);
        names = space == std::string_view::npos ? std::string_view{} : names.substr(space + 1);
    }
    return text;
}

}  // namespace

FtraceWriter::FtraceWriter(const std::filesystem::path& file, TraceWindow window)
    : file_(file), window_(window) {
    file_.write(
        "# tracer: nop\n"
        "#\n"
        "#           TASK-PID    CPU#    TIMESTAMP  FUNCTION\n"
        "#              | |       |          |         |\n");
    names_[0] = "swapper";
}

const std::string& FtraceWriter::comm(uint64_t pid) const {
    static const std::string kUnknown = "unknown";
    const auto found = names_.find(pid);
    return found == names_.end() ? kUnknown : found->second;
}

std::string FtraceWriter::fields(const probe::EventRecord& record) const {
    const auto& a = record.args;
    switch (record.event) {
        case hal::Event::DirectReclaimBegin:
            return fmt::format("order={} may_writepage={} gfp_flags={}", a[0], a[1],
                               gfp_flags(a[2]));
        case hal::Event::LruIsolate:
            return fmt::format(
                "isolate_mode={} order={} nr_requested={} nr_scanned={} nr_taken={} "
                "contig_taken=0 contig_dirty=0 contig_failed=0",
                a[0], a[1], a[2], a[3], a[4]);
        case hal::Event::ShrinkInactive:
            return fmt::format(
                "nid={} zid={} nr_scanned={} nr_reclaimed={} priority={} flags={}", a[0], a[1],
                a[2], a[3], a[4],
                a[5] & 1 ? "RECLAIM_WB_FILE|RECLAIM_WB_ASYNC" : "RECLAIM_WB_ANON|RECLAIM_WB_ASYNC");
        case hal::Event::VmscanWritepage:
            return fmt::format(
                "page=0x{:x} pfn={} flags={}", a[0] << 12, a[0],
                a[1] & 1 ? "RECLAIM_WB_FILE|RECLAIM_WB_ASYNC" : "RECLAIM_WB_ANON|RECLAIM_WB_ASYNC");
        case hal::Event::BlockBioQueue:
        case hal::Event::BlockGetrq:
        case hal::Event::BlockSleeprq:
        case hal::Event::BlockBackmerge:
        case hal::Event::BlockFrontmerge:
            return fmt::format("{} {} {} + {} [{}]", device_name(a[0]), rwbs(a[1]), a[2], a[3],
                               comm(a[4]));
        case hal::Event::BlockRqInsert:
        case hal::Event::BlockRqIssue:
            return fmt::format("{} {} {} () {} + {} [{}]", device_name(a[0]), rwbs(a[1]), a[2],
                               a[3], a[4], comm(a[5]));
        case hal::Event::BlockRqComplete:
            return fmt::format("{} {} () {} + {} [{}]", device_name(a[0]), rwbs(a[1]), a[2], a[3],
                               -static_cast<int64_t>(a[4]));
        case hal::Event::BlockPlug:
            return fmt::format("[{}]", comm(a[1]));
        case hal::Event::BlockUnplugIo:
        case hal::Event::BlockUnplugTimer:
            return fmt::format("[{}] {}", comm(a[1]), a[2]);
        default:
            return key_values(record);
    }
}

void FtraceWriter::on_event(const probe::EventRecord& record) {
    if (record.event == hal::Event::TaskCreated)
        names_[record.args[0]] = unpack_name(record.args[1], record.args[2]);
    if (record.time_ps < window_.begin_ps || record.time_ps > window_.end_ps) return;
    if (record.event == hal::Event::NapBegin2 || truncated_at_ps_ != 0) return;
    if (file_.bytes_written() > window_.max_bytes) {
        truncated_at_ps_ = record.time_ps;
        file_.write("# output budget reached, trace ends here\n");
        return;
    }
    const uint64_t microseconds = record.time_ps / 1'000'000;
    file_.write(
        fmt::format("{:>16}-{:<5} [{:03}] {:>5}.{:06}: {}: {}\n", comm(record.pid), record.pid,
                    record.hart, microseconds / 1'000'000, microseconds % 1'000'000,
                    hal::kEventInfo[static_cast<uint32_t>(record.event)].name, fields(record)));
}

void FtraceWriter::on_end(uint64_t) {
    file_.close();
}

}  // namespace weir::waveforms
