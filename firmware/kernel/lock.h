// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Spin locks and their guards.
// - SpinGuard: for data that no interrupt handler touches.
// - IrqSpinGuard: for data that one does; interrupts of this hart are off while it is held.
// Order of locks, outermost first: mapping tree, lru, zone, request queue, wait queue, run queue.
#pragma once

#include "firmware/hal/hal.h"

namespace weir::kernel {

class SpinLock {
  public:
    void lock() { hal::lock_acquire(word_); }
    void unlock() { hal::lock_release(word_); }
    bool held() const { return word_.holder != 0; }
    uint32_t contended_count() const { return word_.contended_count; }

  private:
    hal::LockWord word_;
};

class [[nodiscard]] SpinGuard {
  public:
    explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
    ~SpinGuard() { lock_.unlock(); }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

  private:
    SpinLock& lock_;
};

class [[nodiscard]] IrqGuard {
  public:
    IrqGuard() : were_enabled_(hal::irq_save()) {}
    ~IrqGuard() { hal::irq_restore(were_enabled_); }
    IrqGuard(const IrqGuard&) = delete;
    IrqGuard& operator=(const IrqGuard&) = delete;

  private:
    bool were_enabled_;
};

class [[nodiscard]] IrqSpinGuard {
  public:
    explicit IrqSpinGuard(SpinLock& lock) : guard_(lock) {}

  private:
    IrqGuard irq_;
    SpinGuard guard_;
};

}  // namespace weir::kernel
