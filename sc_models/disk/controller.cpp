// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Registers, enabling and resetting, and the interrupt line of the disk controller.
#include "sc_models/disk/controller.h"

#include "sc_models/common/units.h"
#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace weir::disk {

namespace nvme = hal::nvme;

namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
// From CC.EN to CSTS.RDY. Real devices need milliseconds to seconds; a driver only has to poll.
constexpr uint64_t kEnablePs = 10 * kPsPerUs;
constexpr uint8_t kReadyTimeoutHalfSeconds = 1;
constexpr uint32_t kDoorbellStride = 0;
constexpr uint64_t kDoorbellPairBytes = 8;
constexpr uint64_t kQueueAlignmentBytes = hal::kPageBytes;
constexpr uint32_t kAdminSlots = 4;
constexpr uint32_t kLargestRing = 65'536;

ControllerConfig checked(const ControllerConfig& config, const Medium& medium,
                         const BlockStore& store) {
    if (config.disk.ring_entries < 2 || config.disk.ring_entries > kLargestRing)
        throw std::invalid_argument("ring_entries: must be from 2 to 65536");
    if (config.disk.device_queue_depth == 0)
        throw std::invalid_argument("device_queue_depth: must be above 0");
    if (config.disk.nr_requests == 0) throw std::invalid_argument("nr_requests: must be above 0");
    if (medium.sector_count() < store.sector_count())
        throw std::invalid_argument("size_mib: more than the medium holds");
    return config;
}

}  // namespace

Controller::Controller(sc_core::sc_module_name module_name, const ControllerConfig& config,
                       std::unique_ptr<Medium> medium, std::unique_ptr<BlockStore> store,
                       probe::Recorder& recorder, const std::string& signal_prefix)
    : sc_module(module_name),
      register_socket("register_socket"),
      dma_socket("dma_socket"),
      irq_out("irq_out"),
      config_(checked(config, *medium, *store)),
      medium_(std::move(medium)),
      store_(std::move(store)),
      recorder_(recorder),
      dma_(dma_socket),
      monitor_(recorder, signal_prefix, config.disk.nr_requests),
      registers_(*this),
      io_in_flight_limit_(std::min(medium_->max_in_flight(), config.disk.device_queue_depth)),
      commands_(io_in_flight_limit_ + kAdminSlots),
      wake_ps_(kNever),
      next_phase_ps_(kNever),
      unreadable_sectors_(config.disk.fault.unreadable_sectors) {
    for (uint32_t slot = static_cast<uint32_t>(commands_.size()); slot > 0; --slot) {
        free_slots_.push_back(slot - 1);
    }
    std::sort(unreadable_sectors_.begin(), unreadable_sectors_.end());
    stats_.name = config.name;
    irq_signal_ = recorder.define_signal({signal_prefix + ".irq", "bool", 1, {}});
    phase_signal_ = recorder.define_signal(
        {signal_prefix + ".phase", "Phase", 3, {kPhaseNames.begin(), kPhaseNames.end()}});
    recorder.set(irq_signal_, 0, 0);
    recorder.set(phase_signal_, static_cast<uint64_t>(Phase::Idle), 0);

    define_registers();
    register_socket.register_b_transport(this, &Controller::register_transport);
    register_socket.register_transport_dbg(this, &Controller::register_debug);
    dma_socket.register_invalidate_direct_mem_ptr(this, &Controller::invalidate_direct);

    SC_HAS_PROCESS(Controller);
    SC_METHOD(run_method);
    dont_initialize();
    sensitive << run_event_;
    SC_METHOD(drive_irq_method);
    sensitive << irq_event_;
}

Controller::~Controller() = default;

void Controller::define_registers() {
    using A = RegisterAccess;
    constexpr uint32_t kWord = 4;
    constexpr uint32_t kLong = 8;
    const auto row = [this](const char* name, uint64_t offset, uint32_t width, A access,
                            RegisterFile<Controller>::Read read,
                            RegisterFile<Controller>::Write write) {
        RegisterBlock block{name, offset, width, width, 1, access};
        if (width == kLong) block.other_width_bytes = kWord;
        registers_.add(block, read, write);
    };
    // The doorbells first: they are by far the most used.
    const auto pairs = [this](const char* name, uint64_t offset,
                              RegisterFile<Controller>::Write write) {
        registers_.add({name, offset, kWord, kDoorbellPairBytes, nvme::kQueuePairs, A::WriteOnly},
                       nullptr, write);
    };
    pairs("sq_tail", nvme::sq_tail_doorbell(0, kDoorbellStride), &Controller::ring_sq_tail);
    pairs("cq_head", nvme::cq_head_doorbell(0, kDoorbellStride), &Controller::ring_cq_head);
    row("cap", nvme::kRegCap, kLong, A::ReadOnly, &Controller::read_cap, nullptr);
    row("vs", nvme::kRegVs, kWord, A::ReadOnly, &Controller::read_vs, nullptr);
    row("intms", nvme::kRegIntms, kWord, A::ReadWrite, &Controller::read_mask,
        &Controller::set_mask);
    row("intmc", nvme::kRegIntmc, kWord, A::ReadWrite, &Controller::read_mask,
        &Controller::clear_mask);
    row("cc", nvme::kRegCc, kWord, A::ReadWrite, &Controller::read_cc, &Controller::write_cc);
    row("csts", nvme::kRegCsts, kWord, A::ReadOnly, &Controller::read_csts, nullptr);
    row("aqa", nvme::kRegAqa, kWord, A::ReadWrite, &Controller::read_aqa, &Controller::write_aqa);
    row("asq", nvme::kRegAsq, kLong, A::ReadWrite, &Controller::read_asq, &Controller::write_asq);
    row("acq", nvme::kRegAcq, kLong, A::ReadWrite, &Controller::read_acq, &Controller::write_acq);

    const auto words = [this](uint64_t first, uint64_t last, A access,
                              RegisterFile<Controller>::Read read,
                              RegisterFile<Controller>::Write write) {
        registers_.add({"congestion", nvme::kRegCongestion + first, kWord, kWord,
                        static_cast<uint32_t>((last - first) / kWord + 1), access},
                       read, write);
    };
    words(nvme::kCongDepthRd, nvme::kCongDepthWr, A::ReadOnly,
          &Controller::read_congestion<nvme::kCongDepthRd>, nullptr);
    words(nvme::kCongDepthMaxRd, nvme::kCongOff, A::ReadWrite,
          &Controller::read_congestion<nvme::kCongDepthMaxRd>,
          &Controller::write_congestion<nvme::kCongDepthMaxRd>);
    words(nvme::kCongStatus, nvme::kCongStatus, A::ReadOnly,
          &Controller::read_congestion<nvme::kCongStatus>, nullptr);
    words(nvme::kCongEvent, nvme::kCongNrRequests, A::ReadWrite,
          &Controller::read_congestion<nvme::kCongEvent>,
          &Controller::write_congestion<nvme::kCongEvent>);
    words(nvme::kCongBusyCycles, nvme::kCongIdleCycles, A::ReadOnly,
          &Controller::read_congestion<nvme::kCongBusyCycles>, nullptr);
}

// ---- register accesses ------------------------------------------------------------------------

void Controller::register_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    access_ps_ = after(simulator_now_ps(), delay);
    registers_.transport(trans);
}

unsigned Controller::register_debug(tlm::tlm_generic_payload& trans) {
    access_ps_ = simulator_now_ps();
    // Writes of a debugger would ring doorbells: only reads are let through.
    return trans.is_read() ? registers_.debug(trans) : 0;
}

void Controller::invalidate_direct(sc_dt::uint64 first, sc_dt::uint64 last) {
    dma_.invalidate(first, last);
}

uint64_t Controller::read_cap(uint32_t) {
    return nvme::make_cap(static_cast<uint16_t>(config_.disk.ring_entries - 1),
                          kReadyTimeoutHalfSeconds, kDoorbellStride);
}
uint64_t Controller::read_vs(uint32_t) {
    return nvme::kVersion14;
}
uint64_t Controller::read_mask(uint32_t) {
    return interrupt_mask_;
}
uint64_t Controller::read_cc(uint32_t) {
    return cc_;
}
uint64_t Controller::read_csts(uint32_t) {
    return csts_;
}
uint64_t Controller::read_aqa(uint32_t) {
    return aqa_;
}
uint64_t Controller::read_asq(uint32_t) {
    return asq_;
}
uint64_t Controller::read_acq(uint32_t) {
    return acq_;
}

void Controller::set_mask(uint32_t, uint64_t value) {
    interrupt_mask_ |= static_cast<uint32_t>(value);
    update_irq(access_ps_);
}

void Controller::clear_mask(uint32_t, uint64_t value) {
    interrupt_mask_ &= ~static_cast<uint32_t>(value);
    update_irq(access_ps_);
}

// The admin queue registers may only change while the controller is disabled.
void Controller::write_aqa(uint32_t, uint64_t value) {
    if (cc_ & nvme::kCcEnable)
        ++stats_.errors;
    else
        aqa_ = static_cast<uint32_t>(value);
}

void Controller::write_asq(uint32_t, uint64_t value) {
    if (cc_ & nvme::kCcEnable)
        ++stats_.errors;
    else
        asq_ = value;
}

void Controller::write_acq(uint32_t, uint64_t value) {
    if (cc_ & nvme::kCcEnable)
        ++stats_.errors;
    else
        acq_ = value;
}

void Controller::write_cc(uint32_t, uint64_t value) {
    const bool was_enabled = (cc_ & nvme::kCcEnable) != 0;
    cc_ = static_cast<uint32_t>(value);
    const bool is_enabled = (cc_ & nvme::kCcEnable) != 0;
    if (!was_enabled && is_enabled) enable(access_ps_);
    if (was_enabled && !is_enabled) reset(access_ps_);
    // Shutdown is done at once: what was reported written is in the block store already.
    constexpr uint32_t kShutdownMask = 3;
    constexpr uint32_t kShutdownDone = 2;
    csts_ &= ~(kShutdownMask << nvme::kCstsShutdownShift);
    if ((cc_ >> nvme::kCcShutdownShift & kShutdownMask) != 0)
        csts_ |= kShutdownDone << nvme::kCstsShutdownShift;
}

template <uint64_t kFirstOffset>
uint64_t Controller::read_congestion(uint32_t index) {
    uint32_t value = 0;
    monitor_.read_register(kFirstOffset + index * sizeof value, access_ps_, value);
    return value;
}

template <uint64_t kFirstOffset>
void Controller::write_congestion(uint32_t index, uint64_t value) {
    monitor_.write_register(kFirstOffset + index * sizeof(uint32_t), access_ps_,
                            static_cast<uint32_t>(value));
    update_irq(access_ps_);
}

// ---- enabling, resetting, failing -------------------------------------------------------------

void Controller::enable(uint64_t now_ps) {
    constexpr uint32_t kPageSizeMask = 0xf;
    constexpr uint32_t kCommandSetMask = 7;
    const bool valid = (cc_ >> nvme::kCcPageSizeShift & kPageSizeMask) == 0 &&
                       (cc_ >> nvme::kCcCommandSetShift & kCommandSetMask) == 0 &&
                       nvme::aqa_sq_entries(aqa_) >= 2 && nvme::aqa_cq_entries(aqa_) >= 2 &&
                       asq_ % kQueueAlignmentBytes == 0 && acq_ % kQueueAlignmentBytes == 0;
    if (!valid) {
        become_fatal(now_ps);
        return;
    }
    schedule(StepKind::BecomeReady, now_ps + kEnablePs, 0, ++enable_serial_);
}

/// Forgets everything inside. What the medium was told to do it still does; completions are lost.
void Controller::reset(uint64_t now_ps) {
    csts_ = 0;
    interrupt_mask_ = 0;
    coalescing_entries_ = 0;
    coalescing_ps_ = 0;
    ++enable_serial_;
    sqs_ = {};
    cqs_ = {};
    steps_.clear();
    free_slots_.clear();
    for (uint32_t slot = static_cast<uint32_t>(commands_.size()); slot > 0; --slot) {
        commands_[slot - 1].active = false;
        commands_[slot - 1].in_medium = false;
        free_slots_.push_back(slot - 1);
    }
    oldest_ = youngest_ = kNoSlot;
    io_in_flight_ = 0;
    next_io_queue_ = nvme::kSyncQueue;
    fetch_free_ps_ = now_ps;
    monitor_.reset(now_ps);
    show_phase(now_ps);
    update_irq(now_ps);
}

/// The host broke the protocol: nothing more is done until it resets the controller.
void Controller::become_fatal(uint64_t now_ps) {
    csts_ |= nvme::kCstsFatal;
    ++stats_.errors;
    steps_.clear();
    monitor_.set_serving(false, now_ps);
}

// ---- doorbells --------------------------------------------------------------------------------

void Controller::ring_sq_tail(uint32_t qid, uint64_t value) {
    if (!ready() || fatal()) {
        ++stats_.errors;
        return;
    }
    SubmissionQueue& sq = sqs_[qid];
    if (!sq.exists || value >= sq.entries) {
        become_fatal(access_ps_);
        return;
    }
    const auto tail = static_cast<uint32_t>(value);
    const uint32_t added = (tail + sq.entries - sq.tail) % sq.entries;
    const uint32_t unfetched = (sq.tail + sq.entries - sq.head) % sq.entries;
    if (unfetched + added >= sq.entries) {  // the host has run over its own entries
        become_fatal(access_ps_);
        return;
    }
    for (uint32_t place = sq.tail; place != tail; place = (place + 1) % sq.entries) {
        sq.submitted_ps[place] = access_ps_;
    }
    sq.tail = tail;
    set_outstanding(qid, sq.outstanding + added, access_ps_);
    update_irq(access_ps_);
    wake_at(access_ps_);
}

void Controller::ring_cq_head(uint32_t qid, uint64_t value) {
    if (!ready() || fatal()) {
        ++stats_.errors;
        return;
    }
    CompletionQueue& cq = cqs_[qid];
    const auto head = static_cast<uint32_t>(value);
    const bool valid =
        cq.exists && value < cq.entries &&
        (head + cq.entries - cq.head) % cq.entries <= (cq.tail + cq.entries - cq.head) % cq.entries;
    if (!valid) {
        become_fatal(access_ps_);
        return;
    }
    cq.head = head;
    if (cq.head == cq.tail) cq.irq_pending = false;
    update_irq(access_ps_);
    // Completions that found the ring full have room now.
    std::vector<uint32_t> waiting;
    waiting.swap(cq.waiting);
    for (const uint32_t slot : waiting) {
        schedule(StepKind::Complete, access_ps_, slot, commands_[slot].serial);
    }
}

// ---- interrupt line ---------------------------------------------------------------------------

/// A completion entry was posted: interrupts now, or later if completions are coalesced.
void Controller::request_interrupt(uint32_t cq_id, uint64_t now_ps) {
    CompletionQueue& cq = cqs_[cq_id];
    if (!cq.irq_enabled) return;
    ++cq.coalesced;
    const bool coalesces =
        cq_id != nvme::kAdminQueue && coalescing_ps_ > 0 && coalescing_entries_ > 1;
    if (!coalesces || cq.coalesced >= coalescing_entries_) {
        raise(cq_id, now_ps);
    } else if (cq.coalesced == 1) {
        cq.timer_serial = next_serial_++;
        schedule(StepKind::CoalescingTimeout, now_ps + coalescing_ps_, cq_id, cq.timer_serial);
    }
}

void Controller::raise(uint32_t cq_id, uint64_t now_ps) {
    CompletionQueue& cq = cqs_[cq_id];
    cq.coalesced = 0;
    cq.timer_serial = 0;
    if (cq.irq_pending || cq.head == cq.tail) return;
    const uint32_t drop_every = config_.disk.fault.drop_interrupt_every;
    if (cq_id != nvme::kAdminQueue && drop_every > 0 && ++interrupts_ % drop_every == 0) {
        ++dropped_interrupts_;
        return;
    }
    cq.irq_pending = true;
    update_irq(now_ps);
}

void Controller::update_irq(uint64_t now_ps) {
    uint32_t pending = monitor_.event_raised() ? nvme::vector_bit(nvme::kEventVector) : 0;
    for (const CompletionQueue& cq : cqs_) {
        if (cq.irq_pending) pending |= nvme::vector_bit(cq.vector);
    }
    const bool level = (pending & ~interrupt_mask_) != 0;
    if (level == irq_level_) return;
    irq_level_ = level;
    irq_changed_ps_ = now_ps = std::max(now_ps, irq_changed_ps_);
    recorder_.set(irq_signal_, level ? 1 : 0, now_ps);
    const uint64_t simulator_ps = simulator_now_ps();
    irq_event_.notify(from_ps(now_ps > simulator_ps ? now_ps - simulator_ps : 0));
}

void Controller::drive_irq_method() {
    irq_out.write(irq_level_);
}

}  // namespace weir::disk
