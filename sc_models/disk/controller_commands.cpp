// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// How commands travel through the disk controller: fetched, in the medium, completed.
#include "sc_models/common/units.h"
#include "sc_models/disk/controller.h"

#include <algorithm>
#include <limits>

namespace weir::disk {

namespace nvme = hal::nvme;

namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

bool is_write(const nvme::SubmissionEntry& entry) {
    return entry.opcode == static_cast<uint8_t>(nvme::IoOpcode::Write);
}
bool is_read(const nvme::SubmissionEntry& entry) {
    return entry.opcode == static_cast<uint8_t>(nvme::IoOpcode::Read);
}

}  // namespace

// ---- the one process --------------------------------------------------------------------------

void Controller::run_method() {
    const uint64_t now_ps = simulator_now_ps();
    wake_ps_ = 0;  // what is scheduled from here on is taken care of at the end
    const auto later = [](const Step& a, const Step& b) {
        return a.at_ps != b.at_ps ? a.at_ps > b.at_ps : a.sequence > b.sequence;
    };
    while (!steps_.empty() && steps_.front().at_ps <= now_ps) {
        std::pop_heap(steps_.begin(), steps_.end(), later);
        const Step step = steps_.back();
        steps_.pop_back();
        do_step(step, now_ps);
    }
    fetch_commands(now_ps);
    if (next_phase_ps_ <= now_ps) show_phase(now_ps);
    wake_ps_ = kNever;
    if (!steps_.empty()) wake_at(steps_.front().at_ps);
    if (next_phase_ps_ != kNever) wake_at(next_phase_ps_);
}

void Controller::wake_at(uint64_t at_ps) {
    if (at_ps >= wake_ps_) return;
    wake_ps_ = at_ps;
    const uint64_t now_ps = simulator_now_ps();
    // An event keeps its earliest notification, so a later one need not be cancelled.
    run_event_.notify(from_ps(at_ps > now_ps ? at_ps - now_ps : 0));
}

void Controller::schedule(StepKind kind, uint64_t at_ps, uint32_t index, uint64_t serial) {
    steps_.push_back({at_ps, next_sequence_++, serial, index, kind});
    std::push_heap(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
        return a.at_ps != b.at_ps ? a.at_ps > b.at_ps : a.sequence > b.sequence;
    });
    wake_at(at_ps);
}

void Controller::do_step(const Step& step, uint64_t now_ps) {
    switch (step.kind) {
        case StepKind::BecomeReady: {
            if (step.serial != enable_serial_) return;
            SubmissionQueue& sq = sqs_[nvme::kAdminQueue];
            CompletionQueue& cq = cqs_[nvme::kAdminQueue];
            sq.exists = cq.exists = cq.irq_enabled = true;
            sq.base = asq_;
            cq.base = acq_;
            sq.entries = nvme::aqa_sq_entries(aqa_);
            cq.entries = nvme::aqa_cq_entries(aqa_);
            sq.submitted_ps.assign(sq.entries, 0);
            csts_ |= nvme::kCstsReady;
            return;
        }
        case StepKind::CoalescingTimeout:
            if (step.serial == cqs_[step.index].timer_serial) raise(step.index, now_ps);
            return;
        case StepKind::TransferData: {
            Command& command = commands_[step.index];
            if (!command.active || command.serial != step.serial) return;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            if (command.moves_data && !move_data(command, hal::Access::Write, delay))
                command.status = nvme::kStatusDataTransferError;
            schedule(StepKind::Complete, std::max(command.plan.done_ps, after(now_ps, delay)),
                     step.index, step.serial);
            return;
        }
        case StepKind::Complete: {
            const Command& command = commands_[step.index];
            if (command.active && command.serial == step.serial) complete(step.index, now_ps);
            return;
        }
    }
}

// ---- fetching ---------------------------------------------------------------------------------

void Controller::fetch_commands(uint64_t now_ps) {
    if (!ready()) return;
    while (!fatal()) {
        const uint32_t sq_id = choose_queue();
        if (sq_id == nvme::kQueuePairs) return;
        fetch_one(sq_id, now_ps);
    }
}

/// Admin first; then the pairs in turn, so that neither class starves the other.
uint32_t Controller::choose_queue() {
    if (free_slots_.empty()) return nvme::kQueuePairs;
    const auto has_work = [this](uint32_t sq_id) {
        return sqs_[sq_id].exists && sqs_[sq_id].head != sqs_[sq_id].tail;
    };
    if (has_work(nvme::kAdminQueue)) return nvme::kAdminQueue;
    if (io_in_flight_ >= io_in_flight_limit_) return nvme::kQueuePairs;
    const uint32_t other = nvme::kSyncQueue + nvme::kAsyncQueue - next_io_queue_;
    const uint32_t chosen = has_work(next_io_queue_) ? next_io_queue_ : other;
    if (!has_work(chosen)) return nvme::kQueuePairs;
    next_io_queue_ = nvme::kSyncQueue + nvme::kAsyncQueue - chosen;
    return chosen;
}

void Controller::fetch_one(uint32_t sq_id, uint64_t now_ps) {
    SubmissionQueue& sq = sqs_[sq_id];
    const uint32_t slot = take_slot();
    Command& command = commands_[slot];
    sc_core::sc_time delay = from_ps(std::max(fetch_free_ps_, now_ps) - now_ps);
    if (!dma_.read(sq.base + uint64_t{sq.head} * nvme::kSqEntryBytes, &command.entry,
                   nvme::kSqEntryBytes, delay)) {
        become_fatal(now_ps);
        return;
    }
    command.sq_id = sq_id;
    command.submitted_ps = sq.submitted_ps[sq.head];
    sq.head = (sq.head + 1) % sq.entries;
    fetch_free_ps_ = after(now_ps, delay);
    command.plan = MediumPlan::begin(fetch_free_ps_);
    if (sq_id == nvme::kAdminQueue) {
        execute_admin(slot, now_ps, fetch_free_ps_);
    } else {
        ++io_in_flight_;
        execute_io(slot, now_ps, fetch_free_ps_);
    }
}

uint32_t Controller::take_slot() {
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    Command& command = commands_[slot];
    command.active = true;
    command.moves_data = false;
    command.serial = next_serial_++;
    command.status = nvme::kStatusSuccess;
    command.result = 0;
    command.bytes = 0;
    command.runs.clear();
    command.in_medium = false;
    return slot;
}

void Controller::free_slot(uint32_t slot, uint64_t now_ps) {
    Command& command = commands_[slot];
    if (command.in_medium) leave_medium(slot, now_ps);
    if (command.sq_id != nvme::kAdminQueue) --io_in_flight_;
    command.active = false;
    free_slots_.push_back(slot);
}

// ---- completing -------------------------------------------------------------------------------

void Controller::complete(uint32_t slot, uint64_t now_ps) {
    Command& command = commands_[slot];
    if (command.in_medium) {
        leave_medium(slot, now_ps);
        last_plan_ = command.plan;
    }
    const uint32_t cq_id = sqs_[command.sq_id].cq_id;
    CompletionQueue& cq = cqs_[cq_id];
    if ((cq.tail + 1) % cq.entries == cq.head) {
        cq.waiting.push_back(slot);  // until the host takes entries out
        return;
    }
    post_entry(slot, now_ps);
}

void Controller::post_entry(uint32_t slot, uint64_t now_ps) {
    Command& command = commands_[slot];
    SubmissionQueue& sq = sqs_[command.sq_id];
    CompletionQueue& cq = cqs_[sq.cq_id];
    nvme::CompletionEntry entry{};
    entry.result = command.result;
    entry.sq_head = static_cast<uint16_t>(sq.head);
    entry.sq_id = static_cast<uint16_t>(command.sq_id);
    entry.command_id = command.entry.command_id;
    entry.status_phase = nvme::make_status_phase(command.status, cq.phase);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (!dma_.write(cq.base + uint64_t{cq.tail} * nvme::kCqEntryBytes, &entry, nvme::kCqEntryBytes,
                    delay)) {
        become_fatal(now_ps);
        return;
    }
    if (++cq.tail == cq.entries) {
        cq.tail = 0;
        cq.phase = !cq.phase;
    }
    const uint64_t posted_ps = after(now_ps, delay);
    if (command.status != nvme::kStatusSuccess) ++stats_.errors;
    if (command.sq_id != nvme::kAdminQueue && (is_read(command.entry) || is_write(command.entry))) {
        const uint32_t direction = is_write(command.entry) ? 1 : 0;
        ++stats_.commands[direction];
        stats_.service_ps[direction] += posted_ps - command.submitted_ps;
        if (command.status == nvme::kStatusSuccess) stats_.bytes[direction] += command.bytes;
    }
    const uint32_t sq_id = command.sq_id;
    free_slot(slot, posted_ps);
    set_outstanding(sq_id, sq.outstanding - 1, posted_ps);
    request_interrupt(sq.cq_id, posted_ps);
    update_irq(posted_ps);
}

void Controller::set_outstanding(uint32_t sq_id, uint32_t outstanding, uint64_t now_ps) {
    sqs_[sq_id].outstanding = outstanding;
    if (sq_id == nvme::kSyncQueue) monitor_.set_depth(QueueClass::Sync, outstanding, now_ps);
    if (sq_id == nvme::kAsyncQueue) monitor_.set_depth(QueueClass::Async, outstanding, now_ps);
}

// ---- what the device is seen to do ------------------------------------------------------------

void Controller::enter_medium(uint32_t slot, uint64_t now_ps) {
    Command& command = commands_[slot];
    command.in_medium = true;
    command.older = youngest_;
    command.younger = kNoSlot;
    if (youngest_ != kNoSlot) commands_[youngest_].younger = slot;
    youngest_ = slot;
    if (oldest_ != kNoSlot) return;
    oldest_ = slot;
    monitor_.set_serving(true, now_ps);
    show_phase(now_ps);
}

void Controller::leave_medium(uint32_t slot, uint64_t now_ps) {
    Command& command = commands_[slot];
    command.in_medium = false;
    const bool was_oldest = oldest_ == slot;
    (command.older == kNoSlot ? oldest_ : commands_[command.older].younger) = command.younger;
    (command.younger == kNoSlot ? youngest_ : commands_[command.younger].older) = command.older;
    if (oldest_ == kNoSlot) monitor_.set_serving(false, now_ps);
    if (was_oldest) show_phase(now_ps);
}

/// Shows the phase of the oldest command in the medium and notes when that changes next.
void Controller::show_phase(uint64_t now_ps) {
    // Commands begin when their fetch ends, a little ahead: the record must not run backwards.
    now_ps = std::max(now_ps, phase_since_ps_);
    Phase phase = Phase::Idle;
    next_phase_ps_ = kNever;
    if (oldest_ != kNoSlot) {
        const MediumPlan& plan = commands_[oldest_].plan;
        phase = plan.span_count == 0 ? Phase::Overhead : plan.spans[plan.span_count - 1].phase;
        uint64_t end_ps = plan.start_ps;
        for (uint32_t i = 0; i < plan.span_count; ++i) {
            end_ps += plan.spans[i].duration_ps;
            if (end_ps <= now_ps) continue;
            phase = plan.spans[i].phase;
            if (i + 1 < plan.span_count) next_phase_ps_ = end_ps;
            break;
        }
    }
    if (next_phase_ps_ != kNever) wake_at(next_phase_ps_);
    if (phase == phase_) return;
    stats_.phase_ps[static_cast<uint32_t>(phase_)] += now_ps - phase_since_ps_;
    phase_ = phase;
    phase_since_ps_ = now_ps;
    recorder_.set(phase_signal_, static_cast<uint64_t>(phase), now_ps);
}

DeviceStats Controller::stats(uint64_t now_ps) const {
    DeviceStats stats = stats_;
    monitor_.report(stats, now_ps);
    if (now_ps > phase_since_ps_)
        stats.phase_ps[static_cast<uint32_t>(phase_)] += now_ps - phase_since_ps_;
    return stats;
}

}  // namespace weir::disk
