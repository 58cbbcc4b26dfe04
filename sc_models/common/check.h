// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a model does when a protocol or an invariant is broken: it says where, when and with which
// values, and the simulation ends.
// - WEIR_CHECK(cond, instance, what, a, b): instance is an sc_object or a path.
// - Outside a SystemC thread a MachineError is thrown. Inside one the failure is noted, the
//   simulator is stopped and the thread is parked: firmware may be on its stack, and firmware is
//   built without exceptions, so nothing may be thrown through it.
// - take_failure(): what was noted; Machine::run() asks after the simulator has returned.
#pragma once

#include <systemc>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace weir {

/// A broken invariant of the modelled machine. what() holds instance, time, place and values.
class MachineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Ends the simulation with a message; see the rules above.
[[noreturn]] void fail(const std::string& instance, const char* file, uint32_t line,
                       const char* what, uint64_t a = 0, uint64_t b = 0);
/// Stops the simulator and never returns to the calling SystemC thread.
[[noreturn]] void stop_and_park();
/// The first failure since the last call, if any.
std::optional<std::string> take_failure();
/// Simulated time as "1.234567890123 s".
std::string time_text(uint64_t time_ps);

inline std::string instance_path(const sc_core::sc_object& object) {
    return object.name();
}
inline std::string instance_path(const char* path) {
    return path;
}
inline std::string instance_path(const std::string& path) {
    return path;
}

}  // namespace weir

#define WEIR_CHECK(cond, instance, what, a, b)                                      \
    do {                                                                            \
        if (!(cond)) [[unlikely]]                                                   \
            ::weir::fail(::weir::instance_path(instance), __FILE__, __LINE__, what, \
                         static_cast<uint64_t>(a), static_cast<uint64_t>(b));       \
    } while (false)
