// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the compiler takes for granted and bare metal does not have.
// - Memory functions and bit counts it may call by itself.
// - C++ hooks that are never reached in a kernel without heap and exceptions: they panic.
#include "firmware/hal/hal.h"

#include <cstddef>
#include <cstdint>
#include <new>

// The compiler would turn the loops below into calls of the very functions they implement.
#pragma GCC optimize("no-tree-loop-distribute-patterns")

extern "C" {

void* __dso_handle = nullptr;

void* memcpy(void* dst, const void* src, size_t bytes) {
    auto* to = static_cast<unsigned char*>(dst);
    auto* from = static_cast<const unsigned char*>(src);
    if (((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) & 7) == 0) {
        for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
            uint64_t word;
            __builtin_memcpy(&word, __builtin_assume_aligned(from, 8), 8);
            __builtin_memcpy(__builtin_assume_aligned(to, 8), &word, 8);
        }
    }
    while (bytes-- > 0) *to++ = *from++;
    return dst;
}

void* memmove(void* dst, const void* src, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(dst) - reinterpret_cast<uintptr_t>(src) >= bytes) {
        return memcpy(dst, src, bytes);
    }
    auto* to = static_cast<unsigned char*>(dst);
    auto* from = static_cast<const unsigned char*>(src);
    while (bytes-- > 0) to[bytes] = from[bytes];
    return dst;
}

void* memset(void* dst, int value, size_t bytes) {
    auto* to = static_cast<unsigned char*>(dst);
    const auto byte = static_cast<unsigned char>(value);
    if ((reinterpret_cast<uintptr_t>(to) & 7) == 0) {
        const uint64_t word = byte * 0x0101'0101'0101'0101ull;
        for (; bytes >= 8; bytes -= 8, to += 8) {
            __builtin_memcpy(__builtin_assume_aligned(to, 8), &word, 8);
        }
    }
    while (bytes-- > 0) *to++ = byte;
    return dst;
}

int memcmp(const void* a, const void* b, size_t bytes) {
    auto* left = static_cast<const unsigned char*>(a);
    auto* right = static_cast<const unsigned char*>(b);
    for (size_t i = 0; i < bytes; ++i) {
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

[[noreturn]] void abort() {
    weir::hal::panic(__FILE__, __LINE__, "abort");
}
[[noreturn]] void __cxa_pure_virtual() {
    weir::hal::panic(__FILE__, __LINE__, "a pure virtual function was called");
}
/// Nothing is ever destroyed: the machine is switched off instead.
int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}

int __ctzdi2(uint64_t value) {
    int count = 0;
    for (; count < 64 && !(value >> count & 1); ++count) {
    }
    return count;
}
int __clzdi2(uint64_t value) {
    int count = 0;
    for (; count < 64 && !(value << count >> 63); ++count) {
    }
    return count;
}
int __popcountdi2(uint64_t value) {
    int count = 0;
    for (; value; value &= value - 1) ++count;
    return count;
}

}  // extern "C"

// Referred to by virtual destructors; there is no heap to give anything back to.
void operator delete(void*) noexcept {
    abort();
}
void operator delete(void*, size_t) noexcept {
    abort();
}
void operator delete(void*, std::align_val_t) noexcept {
    abort();
}
void operator delete(void*, size_t, std::align_val_t) noexcept {
    abort();
}
void operator delete[](void*) noexcept {
    abort();
}
void operator delete[](void*, size_t) noexcept {
    abort();
}
