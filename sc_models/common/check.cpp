// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/common/check.h"

#include <cinttypes>
#include <cstdio>

namespace weir {
namespace {

std::optional<std::string>& noted_failure() {
    static std::optional<std::string> failure;
    return failure;
}

bool inside_thread() {
    if (!sc_core::sc_is_running()) return false;
    const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
    return process.valid() && process.proc_kind() == sc_core::SC_THREAD_PROC_;
}

}  // namespace

std::string time_text(uint64_t time_ps) {
    char text[48];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%012" PRIu64 " s", time_ps / 1'000'000'000'000,
                  time_ps % 1'000'000'000'000);
    return text;
}

void stop_and_park() {
    // sc_stop twice in a run is warned about by the simulator; two parts may fail in one delta.
    if (sc_core::sc_get_status() != sc_core::SC_STOPPED && sc_core::sc_is_running()) {
        static bool stopped = false;
        if (!stopped) sc_core::sc_stop();
        stopped = true;
    }
    sc_core::sc_event never;
    for (;;) sc_core::wait(never);
}

void fail(const std::string& instance, const char* file, uint32_t line, const char* what,
          uint64_t a, uint64_t b) {
    char values[64];
    std::snprintf(values, sizeof values, " (0x%" PRIx64 ", 0x%" PRIx64 ")", a, b);
    std::string message = instance + ": " + what + values + " at " +
                          time_text(sc_core::sc_time_stamp().value()) + ", " + file + ":" +
                          std::to_string(line);
    if (!noted_failure()) noted_failure() = message;
    if (inside_thread()) stop_and_park();
    throw MachineError(message);
}

std::optional<std::string> take_failure() {
    std::optional<std::string> failure = std::move(noted_failure());
    noted_failure().reset();
    return failure;
}

}  // namespace weir
