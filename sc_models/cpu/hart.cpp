// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/hart.h"

#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/cpu/platform.h"

#include <stdexcept>

namespace weir::cpu {

Hart* current_hart = nullptr;

Hart::Hart(sc_core::sc_module_name name, uint32_t id, const machine::CpuConfig& config,
           Platform& owner)
    : sc_module(name),
      socket("socket"),
      timer_irq_in("timer_irq_in"),
      external_irq_in("external_irq_in"),
      path_(std::make_unique<MemoryPath>(config, MemoryPath::Place{id, owner.ram_base.value},
                                         *owner.directory)),
      quantum_ps_(config.quantum_ns * kPsPerNs),
      id_(id),
      platform_(owner),
      walk_ps_(cycles_to_ps(config.tlb_walk_cycles, config.clock_hz)),
      tlb_(config.tlb_entries, config.tlb_ways) {
    if (quantum_ps_ == 0) throw std::invalid_argument("machine.cpu.quantum_ns: must not be 0");
    for (size_t op = 0; op < hal::kOpCount; ++op) {
        const uint64_t cost_ps = cycles_to_ps(config.cost_cycles[op], config.clock_hz);
        if (cost_ps > 0xffffffffu)
            throw std::invalid_argument(std::string("machine.cpu.cost_cycles.") +
                                        hal::kOpInfo[op].key + ": must be below 4 ms");
        cost_ps_[op] = static_cast<uint32_t>(cost_ps);
    }
    owner.directory->add(*path_);
    socket.register_invalidate_direct_mem_ptr(this, &Hart::invalidate_dmi);
    context_ = create_context(
        "boot" + std::to_string(id),
        [](void* self) {
            static_cast<Hart*>(self)->start_next_hart();
            weir_firmware_main();
        },
        this);
    context_->hart = this;
    SC_METHOD(irq_level_method);
    sensitive << timer_irq_in << external_irq_in;
    dont_initialize();
    SC_METHOD(kick_method);
    sensitive << kick_;
    dont_initialize();
}

Hart::~Hart() = default;

void Hart::start_of_simulation() {
    path_->bind(*socket.operator->());
    if (!platform_.ram) request_ram_pointer();
    window_end_ps_ = quantum_ps_;
    update_due();
    if (id_ == 0) context_->resumed.notify(sc_core::SC_ZERO_TIME);
}

/// Each hart starts the next, so that they begin in the order of their numbers whatever the order
/// in which the simulator takes events of one delta cycle.
void Hart::start_next_hart() {
    if (id_ + 1 < platform_.harts.size()) platform_.harts[id_ + 1]->context_->resumed.notify();
}

void Hart::request_ram_pointer() {
    tlm::tlm_generic_payload trans;
    tlm::tlm_dmi dmi;
    trans.set_command(tlm::TLM_READ_COMMAND);
    trans.set_address(platform_.ram_base.value);
    const bool granted = socket->get_direct_mem_ptr(trans, dmi);
    WEIR_CHECK(granted && dmi.is_read_write_allowed(), *this, "RAM grants no direct pointer",
               platform_.ram_base.value, platform_.ram_bytes);
    WEIR_CHECK(dmi.get_start_address() == platform_.ram_base.value &&
                   dmi.get_end_address() - dmi.get_start_address() + 1 >= platform_.ram_bytes,
               *this, "the direct pointer does not cover RAM", dmi.get_start_address(),
               dmi.get_end_address());
    platform_.ram = dmi.get_dmi_ptr();
}

void Hart::invalidate_dmi(sc_dt::uint64 start, sc_dt::uint64 end) {
    const uint64_t ram_end = platform_.ram_base.value + platform_.ram_bytes;
    WEIR_CHECK(end < platform_.ram_base.value || start >= ram_end, *this,
               "host mode needs the direct pointer to RAM for the whole run", start, end);
}

// ---- time ---------------------------------------------------------------------------------------

void Hart::update_due() {
    if (locks_held_)
        due_ps_ = kNotDue;
    else
        due_ps_ = pending_ && irqs_enabled_ ? 0 : window_end_ps_;
}

void Hart::wait_until_local() {
    const uint64_t now_ps = simulator_now_ps();
    if (local_ps_ <= now_ps) {
        local_ps_ = now_ps;
        return;
    }
    ++stats_.syncs;
    sc_core::wait(from_ps(local_ps_ - now_ps));
    current_hart = this;
}

void Hart::catch_up() {
    wait_until_local();
    window_end_ps_ = local_ps_ + quantum_ps_;
    update_due();
}

// After this call the context may be on another hart: callers use current_hart, not this.
void Hart::synchronise() {
    if (locks_held_) return;
    if (local_ps_ >= window_end_ps_) catch_up();
    if (pending_ && irqs_enabled_) take_interrupts();
}

// ---- interrupts ---------------------------------------------------------------------------------

bool Hart::disable_interrupts() {
    const bool were_enabled = irqs_enabled_;
    irqs_enabled_ = false;
    target_.interrupts_enabled = false;
    if (pending_) update_due();
    return were_enabled;
}

void Hart::restore_interrupts(bool enabled) {
    irqs_enabled_ = enabled;
    target_.interrupts_enabled = enabled;
    if (pending_) update_due();
}

void Hart::set_pending(uint32_t bit, bool level) {
    pending_ = level ? pending_ | bit : pending_ & ~bit;
    update_due();
    if (pending_ && target_.idle) wake_.notify();
}

void Hart::irq_level_method() {
    set_pending(kTimer, timer_irq_in.read());
    set_pending(kExternal, external_irq_in.read());
}

void Hart::kick_method() {
    set_pending(kKick, true);
}
void Hart::raise_kick(uint64_t delay_ps) {
    kick_.notify(from_ps(delay_ps));
}

void Hart::call_handler(uint32_t bit) {
    const hal::TrapHandlers& handlers = platform_.handlers;
    void (*const handler)() = bit == kTimer      ? handlers.timer
                              : bit == kExternal ? handlers.external
                                                 : handlers.kick;
    WEIR_CHECK(handler, *this, "an interrupt is enabled but has no handler", bit, pid_);
    handler();
}

void Hart::take_interrupts() {
    Hart* hart = this;
    while (hart->pending_ && hart->irqs_enabled_ && !hart->locks_held_) {
        const uint32_t bit = hart->pending_ & (~hart->pending_ + 1);  // kick, timer, external
        if (bit == kKick) hart->pending_ &= ~bit;
        const hal::Mode interrupted = hart->mode_;
        hal::Context* const context = hart->context_;
        hart->disable_interrupts();
        hart->update_due();
        ++hart->stats_.interrupts;
        hart->call_handler(bit);
        hart = current_hart;
        hart->restore_interrupts(true);
        hart->update_due();
        if (interrupted == hal::Mode::Kernel || context->in_after_interrupt ||
            !platform_.handlers.after_interrupt)
            continue;
        // The task may be switched away in here and come back on another hart.
        context->in_after_interrupt = true;
        platform_.handlers.after_interrupt(interrupted);
        context->in_after_interrupt = false;
        hart = current_hart;
        hart->set_mode(interrupted);
    }
}

void Hart::wait_for_interrupt() {
    WEIR_CHECK(locks_held_ == 0, *this, "waits for an interrupt with locks held", locks_held_,
               pid_);
    wait_until_local();
    if (!pending_) {
        target_.idle = true;
        const uint64_t begin_ps = local_ps_;
        do sc_core::wait(wake_);
        while (!pending_);
        current_hart = this;
        target_.idle = false;
        local_ps_ = simulator_now_ps();
        stats_.idle_ps += local_ps_ - begin_ps;
    }
    window_end_ps_ = local_ps_ + quantum_ps_;
    update_due();
    if (irqs_enabled_) take_interrupts();
}

// ---- contexts -----------------------------------------------------------------------------------

void Hart::leave_for(hal::Context& from, hal::Context& to) {
    WEIR_CHECK(&from == context_, *this, "switch from a context that is not running here", pid_, 0);
    ++stats_.context_switches;
    from.left_at_ps = local_ps_;
    from.hart = nullptr;
    context_ = &to;
    // A context's own clock never goes back, though the hart that takes it over may be behind.
    if (local_ps_ < to.left_at_ps) local_ps_ = to.left_at_ps;
    resume_context(to, *this);
}

void Hart::switch_context(hal::Context& from, hal::Context& to) {
    if (&from == &to) return;
    leave_for(from, to);
    suspend_context(from);
}

void Hart::exit_context(hal::Context& to) {
    leave_for(*context_, to);
    sc_core::sc_event never;
    for (;;) sc_core::wait(never);
}

hal::Mode Hart::set_mode(hal::Mode mode) {
    const hal::Mode previous = mode_;
    if (mode == previous) return previous;
    mode_ = mode;
    platform_.trace->gauge({local_ps_, id_, pid_}, hal::Gauge::HartMode, id_,
                           static_cast<uint64_t>(mode));
    return previous;
}

void Hart::set_pid(uint32_t pid) {
    if (pid == pid_) return;
    pid_ = pid;
    platform_.trace->gauge({local_ps_, id_, pid_}, hal::Gauge::HartTask, id_, pid);
}

// ---- devices and locks --------------------------------------------------------------------------

uint64_t Hart::mmio(tlm::tlm_command command, hal::PhysAddr addr, uint32_t bytes, uint64_t value) {
    wait_until_local();
    ++stats_.mmio_accesses;
    mmio_trans_.set_command(command);
    mmio_trans_.set_address(addr.value);
    mmio_trans_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    mmio_trans_.set_data_length(bytes);
    mmio_trans_.set_streaming_width(bytes);
    mmio_trans_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    mmio_trans_.set_dmi_allowed(false);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(mmio_trans_, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    current_hart = this;
    local_ps_ = simulator_now_ps();
    window_end_ps_ = local_ps_ + quantum_ps_;
    update_due();
    WEIR_CHECK(
        mmio_trans_.is_response_ok(), *this,
        (mmio_trans_.get_response_string() + " for a device access (address, bytes)").c_str(),
        addr.value, bytes);
    return value;
}

void Hart::wait_for_lock(hal::LockWord& lock) {
    WEIR_CHECK(lock.holder != id_ + 1, *this, "takes a lock that it holds (holder, pid)",
               lock.holder, pid_);
    ++lock.contended_count;
    ++platform_.lock_waiters;
    while (lock.holder) sc_core::wait(platform_.lock_released);
    --platform_.lock_waiters;
    current_hart = this;
    const uint64_t now_ps = simulator_now_ps();
    if (local_ps_ < now_ps) local_ps_ = now_ps;
}

void Hart::acquire(hal::LockWord& lock) {
    if (lock.holder) [[unlikely]]
        wait_for_lock(lock);
    const bool before = lock.order == hal::LockOrder::Overlap && local_ps_ < lock.taken_at_ps;
    if (!before) {
        if (lock.free_at_ps > local_ps_) {
            ++lock.contended_count;
            local_ps_ = lock.free_at_ps;
        }
        lock.taken_at_ps = local_ps_;
    }
    lock.holder = id_ + 1;
    ++locks_held_;
    due_ps_ = kNotDue;
}

void Hart::release(hal::LockWord& lock) {
    WEIR_CHECK(lock.holder == id_ + 1, *this, "releases a lock that it does not hold (holder, pid)",
               lock.holder, pid_);
    if (local_ps_ > lock.free_at_ps) lock.free_at_ps = local_ps_;
    lock.holder = 0;
    if (--locks_held_ == 0) update_due();
    if (platform_.lock_waiters) platform_.lock_released.notify();
}

}  // namespace weir::cpu
