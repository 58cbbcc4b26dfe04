// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Types that every part of the platform shares: addresses, frames, sectors, results.
// - Wrapped integers (Pfn, PhysAddr, VirtAddr, Sector) so that one cannot be passed for another.
// - Result<T>: an expected outcome, good or bad, without exceptions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace weir::hal {

inline constexpr uint32_t kPageShift = 12;
inline constexpr uint32_t kPageBytes = 1u << kPageShift;
inline constexpr uint32_t kSectorBytes = 512;
inline constexpr uint32_t kSectorsPerPage = kPageBytes / kSectorBytes;

/// One kind of number that must not be mixed with another. Tag is never defined.
template <typename Tag, typename Rep>
struct Strong {
    Rep value{};
    friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
    constexpr Strong operator+(Rep delta) const { return Strong{static_cast<Rep>(value + delta)}; }
    constexpr Strong& operator+=(Rep delta) {
        value = static_cast<Rep>(value + delta);
        return *this;
    }
};

/// Page frame number: physical address / kPageBytes.
using Pfn = Strong<struct PfnTag, uint32_t>;
using PhysAddr = Strong<struct PhysAddrTag, uint64_t>;
using VirtAddr = Strong<struct VirtAddrTag, uint64_t>;
/// Sector of 512 bytes on a block device.
using Sector = Strong<struct SectorTag, uint64_t>;

inline constexpr Pfn kNoPfn{0xffffffffu};

constexpr PhysAddr addr_of(Pfn pfn) {
    return PhysAddr{static_cast<uint64_t>(pfn.value) << kPageShift};
}
constexpr Pfn pfn_of(PhysAddr addr) {
    return Pfn{static_cast<uint32_t>(addr.value >> kPageShift)};
}

enum class Access : uint8_t { Read, Write };
enum class Mode : uint8_t { Kernel, User, Idle };

/// Why something could not be done. An expected outcome, never an invariant broken.
enum class Error : uint8_t {
    None,
    NoMemory,    // no frame could be had
    NoSwap,      // swap is full
    IoError,     // the device answered with an error status, after retries
    TimedOut,    // the device did not answer
    BadAddress,  // user address outside every mapping
    OutOfRange,  // beyond the end of a file or device
    Again,       // would have to wait
    Killed,      // the task is being killed
    Invalid,     // the argument makes no sense
};

/// A value or the reason there is none. Firmware has no exceptions and C++20 no std::expected.
template <typename T>
class [[nodiscard]] Result {
  public:
    constexpr Result(T value) : value_(value) {}
    constexpr Result(Error error) : error_(error) {}
    constexpr bool ok() const { return error_ == Error::None; }
    constexpr Error error() const { return error_; }
    constexpr const T& value() const { return value_; }

  private:
    T value_{};
    Error error_ = Error::None;
};

/// The outcome of work that yields nothing but success or a reason.
class [[nodiscard]] Status {
  public:
    constexpr Status() = default;
    constexpr Status(Error error) : error_(error) {}
    constexpr bool ok() const { return error_ == Error::None; }
    constexpr Error error() const { return error_; }

  private:
    Error error_ = Error::None;
};

}  // namespace weir::hal
