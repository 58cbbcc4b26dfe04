// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// One hart in host mode: a clock that runs ahead of simulated time, interrupts, MMIO, translation
// and caches. Firmware runs on the SystemC threads of its contexts (task_thread.h); hal_host.cpp
// maps the hal contract onto this class.
// - charge(): the hot path: adds to the clock, and synchronises when it is due.
// - synchronise(): waits until simulated time has caught up, then takes pending interrupts.
// - mmio(): synchronises, does one bus transaction and waits until it has ended.
// - wait_for_interrupt(): sleeps until an interrupt is pending.
// Rules. The clock is never behind simulated time and never more than a quantum ahead while no lock
// is held. While a lock is held nothing synchronises except mmio(), and no interrupt is taken. An
// interrupt is taken at a synchronisation point where interrupts are enabled; one that comes while
// the hart waits for time to catch up is taken at the end of that wait.
// Coding style: loosely timed. Payloads are the hart's own. Only the thread of the context that the
// hart runs may call it, except raise_kick() and the interrupt inputs.
#pragma once

#include "firmware/hal/hal.h"
#include "sc_models/common/interrupt_target.h"
#include "sc_models/cpu/memory_path.h"
#include "sc_models/cpu/task_thread.h"
#include "sc_models/cpu/tlb.h"

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <memory>

namespace weir::cpu {

struct Platform;

struct HartStats {
    uint64_t syncs = 0;
    uint64_t interrupts = 0;
    uint64_t context_switches = 0;
    uint64_t mmio_accesses = 0;
    uint64_t tlb_misses = 0;
    uint64_t page_faults = 0;
    uint64_t user_spans = 0;
    uint64_t user_work_pages = 0;
    uint64_t idle_ps = 0;
};

class Hart : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<Hart> socket;
    sc_core::sc_in<bool> timer_irq_in;
    sc_core::sc_in<bool> external_irq_in;

    Hart(sc_core::sc_module_name name, uint32_t id, const machine::CpuConfig& config,
         Platform& platform);
    ~Hart() override;
    SC_HAS_PROCESS(Hart);

    uint32_t id() const { return id_; }
    uint64_t local_ps() const { return local_ps_; }
    hal::Context* current_context() const { return context_; }
    hal::Mode mode() const { return mode_; }
    uint32_t pid() const { return pid_; }
    const HartStats& stats() const { return stats_; }
    const MemoryStats& memory_stats() const { return path_->stats(); }
    const InterruptTarget& interrupt_target() const { return target_; }

    // ---- time -----------------------------------------------------------------------------------
    void spend(hal::Op op, uint32_t count) {
        if (op == hal::Op::UserWorkPage) stats_.user_work_pages += count;
        charge(static_cast<uint64_t>(cost_ps_[static_cast<size_t>(op)]) * count);
    }
    void charge(uint64_t duration_ps) {
        local_ps_ += duration_ps;
        if (local_ps_ >= due_ps_) [[unlikely]]
            synchronise();
    }
    /// An access to RAM by its offset from the start of RAM. A synchronisation point.
    void touch(uint64_t ram_offset, uint32_t bytes, hal::Access access) {
        charge_access(ram_offset, bytes, access);
        if (local_ps_ >= due_ps_) [[unlikely]]
            synchronise();
    }
    void synchronise();
    /// Waits until simulated time has caught up; takes no interrupt.
    void wait_until_local();

    // ---- interrupts -----------------------------------------------------------------------------
    bool disable_interrupts();
    void restore_interrupts(bool enabled);
    void wait_for_interrupt();
    /// Raises an inter-hart interrupt after a delay of simulated time.
    void raise_kick(uint64_t delay_ps);

    // ---- contexts -------------------------------------------------------------------------------
    void switch_context(hal::Context& from, hal::Context& to);
    [[noreturn]] void exit_context(hal::Context& to);
    hal::Mode set_mode(hal::Mode mode);
    void set_pid(uint32_t pid);

    // ---- devices, user memory, locks ------------------------------------------------------------
    uint64_t mmio(tlm::tlm_command command, hal::PhysAddr addr, uint32_t bytes, uint64_t value);
    void set_translation_root(hal::Pfn root, uint16_t asid);
    void flush_page(hal::VirtAddr addr, uint16_t asid);
    void flush_asid(uint16_t asid);
    void acquire(hal::LockWord& lock);
    void release(hal::LockWord& lock);

    struct Translation {
        bool ok = false;
        uint64_t ram_offset = 0;
    };
    /// Translates as the MMU does, without a fault handler. Charges the walk.
    Translation translate(hal::VirtAddr addr, hal::Access access);
    void charge_access(uint64_t ram_offset, uint32_t bytes, hal::Access access) {
        const uint32_t shift = path_->line_shift();
        const auto first = static_cast<uint32_t>(ram_offset >> shift);
        const auto last = static_cast<uint32_t>((ram_offset + bytes - 1) >> shift);
        if (first == last && path_->near_hit(first, access)) [[likely]]
            local_ps_ += path_->near_hit_ps();
        else
            local_ps_ = path_->access(first, last, access, local_ps_);
    }
    void sync_if_due() {
        if (local_ps_ >= due_ps_) [[unlikely]]
            synchronise();
    }
    void note_page_fault() { ++stats_.page_faults; }
    void note_user_span() { ++stats_.user_spans; }

  private:
    enum PendingBit : uint32_t { kKick = 1, kTimer = 2, kExternal = 4 };
    static constexpr uint64_t kNotDue = ~uint64_t{0};
    struct LastTranslation {
        uint64_t page = ~uint64_t{0};
        uint64_t ram_offset = 0;
    };

    void start_of_simulation() override;
    void request_ram_pointer();
    void start_next_hart();
    void catch_up();
    void leave_for(hal::Context& from, hal::Context& to);
    void call_handler(uint32_t bit);
    void take_interrupts();
    void update_due();
    void set_pending(uint32_t bit, bool level);
    void irq_level_method();
    void kick_method();
    void wait_for_lock(hal::LockWord& lock);
    uint8_t* page_table_entry(uint64_t table_pfn, uint64_t index, uint64_t& ram_offset);
    bool walk(hal::VirtAddr addr, hal::Access access);
    void forget_last();
    void invalidate_dmi(sc_dt::uint64 start, sc_dt::uint64 end);

    // Hot: read or written by every charge.
    uint64_t local_ps_ = 0;
    uint64_t due_ps_ = 0;
    std::unique_ptr<MemoryPath> path_;
    std::array<uint32_t, hal::kOpCount> cost_ps_{};

    uint64_t window_end_ps_ = 0;
    uint64_t quantum_ps_;
    uint32_t id_;
    uint32_t locks_held_ = 0;
    uint32_t pending_ = 0;
    bool irqs_enabled_ = false;
    hal::Mode mode_ = hal::Mode::Kernel;
    uint32_t pid_ = 0;
    hal::Context* context_ = nullptr;
    Platform& platform_;
    InterruptTarget target_;
    sc_core::sc_event wake_;
    sc_core::sc_event kick_;

    hal::Pfn root_ = hal::kNoPfn;
    uint16_t asid_ = 0;
    uint64_t walk_ps_;
    Tlb tlb_;
    LastTranslation last_[2];  // by Access

    tlm::tlm_generic_payload mmio_trans_;
    HartStats stats_;
};

/// The hart whose context is running now. Set after every resume of a context.
extern Hart* current_hart;

}  // namespace weir::cpu
