// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Admin commands of the disk controller: queues, identify, features, abort.
#include "sc_models/common/units.h"
#include "sc_models/disk/controller.h"
#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace weir::disk {

namespace nvme = hal::nvme;

namespace {

constexpr uint64_t kAdminPs = 5 * kPsPerUs;
constexpr uint8_t kOpcodeAbort = 0x08;
constexpr uint8_t kOpcodeGetFeatures = 0x0A;
constexpr uint8_t kFeatureNumberOfQueues = 0x07;
constexpr uint8_t kFeatureInterruptCoalescing = 0x08;
constexpr uint16_t kStatusInvalidVector = 0x108;
constexpr uint16_t kStatusInvalidQueueDeletion = 0x10C;
constexpr uint64_t kCoalescingUnitPs = 100 * kPsPerUs;

void put_text(std::byte* page, uint32_t offset, uint32_t length, const std::string& text) {
    std::memset(page + offset, ' ', length);
    std::memcpy(page + offset, text.data(), std::min<size_t>(length, text.size()));
}

template <typename T>
void put_number(std::byte* page, uint32_t offset, T value) {
    std::memcpy(page + offset, &value, sizeof value);
}

}  // namespace

void Controller::execute_admin(uint32_t slot, uint64_t now_ps, uint64_t start_ps) {
    Command& command = commands_[slot];
    const machine::FaultConfig& fault = config_.disk.fault;
    if (fault.hang_after_commands > 0 && io_commands_ > fault.hang_after_commands) return;
    const nvme::SubmissionEntry& entry = command.entry;
    sc_core::sc_time delay = from_ps(start_ps - now_ps);
    switch (entry.opcode) {
        case static_cast<uint8_t>(nvme::AdminOpcode::CreateCq):
            command.status = create_cq(entry);
            break;
        case static_cast<uint8_t>(nvme::AdminOpcode::CreateSq):
            command.status = create_sq(entry);
            break;
        case static_cast<uint8_t>(nvme::AdminOpcode::DeleteCq):
            command.status = delete_cq(entry);
            break;
        case static_cast<uint8_t>(nvme::AdminOpcode::DeleteSq):
            command.status = delete_sq(entry, start_ps);
            break;
        case static_cast<uint8_t>(nvme::AdminOpcode::Identify):
            command.status = identify(entry, delay);
            break;
        case static_cast<uint8_t>(nvme::AdminOpcode::SetFeatures):
        case kOpcodeGetFeatures:
            command.status = set_feature(entry, command.result);
            break;
        case kOpcodeAbort:
            command.result = abort_command(entry.cdw10, start_ps) ? 0 : 1;
            break;
        default:
            command.status = nvme::kStatusInvalidOpcode;
    }
    schedule(StepKind::Complete, std::max(after(now_ps, delay), start_ps + kAdminPs), slot,
             command.serial);
}

uint16_t Controller::create_cq(const nvme::SubmissionEntry& entry) {
    const uint32_t qid = nvme::cdw10_queue_id(entry.cdw10);
    const uint32_t entries = nvme::cdw10_queue_entries(entry.cdw10);
    const uint32_t vector = nvme::cdw11_upper(entry.cdw11);
    constexpr uint32_t kVectors = 32;
    if (qid == nvme::kAdminQueue || qid >= nvme::kQueuePairs || cqs_[qid].exists)
        return nvme::kStatusInvalidQueueId;
    if (entries < 2 || entries > config_.disk.ring_entries) return nvme::kStatusInvalidQueueSize;
    if (vector >= kVectors || vector == nvme::kEventVector) return kStatusInvalidVector;
    if ((entry.cdw11 & nvme::kCdw11Contiguous) == 0) return nvme::kStatusInvalidField;
    if (entry.prp1 % hal::kPageBytes != 0) return nvme::kStatusInvalidPrpOffset;
    CompletionQueue cq;
    cq.exists = true;
    cq.irq_enabled = (entry.cdw11 & nvme::kCdw11InterruptsEnabled) != 0;
    cq.base = entry.prp1;
    cq.entries = entries;
    cq.vector = vector;
    cqs_[qid] = cq;
    return nvme::kStatusSuccess;
}

uint16_t Controller::create_sq(const nvme::SubmissionEntry& entry) {
    const uint32_t qid = nvme::cdw10_queue_id(entry.cdw10);
    const uint32_t entries = nvme::cdw10_queue_entries(entry.cdw10);
    const uint32_t cq_id = nvme::cdw11_upper(entry.cdw11);
    if (qid == nvme::kAdminQueue || qid >= nvme::kQueuePairs || sqs_[qid].exists)
        return nvme::kStatusInvalidQueueId;
    if (cq_id == nvme::kAdminQueue || cq_id >= nvme::kQueuePairs || !cqs_[cq_id].exists)
        return nvme::kStatusInvalidCqId;
    if (entries < 2 || entries > config_.disk.ring_entries) return nvme::kStatusInvalidQueueSize;
    if ((entry.cdw11 & nvme::kCdw11Contiguous) == 0) return nvme::kStatusInvalidField;
    if (entry.prp1 % hal::kPageBytes != 0) return nvme::kStatusInvalidPrpOffset;
    SubmissionQueue sq;
    sq.exists = true;
    sq.base = entry.prp1;
    sq.entries = entries;
    sq.cq_id = cq_id;
    sq.submitted_ps.assign(entries, 0);
    sqs_[qid] = sq;
    return nvme::kStatusSuccess;
}

uint16_t Controller::delete_cq(const nvme::SubmissionEntry& entry) {
    const uint32_t qid = nvme::cdw10_queue_id(entry.cdw10);
    if (qid == nvme::kAdminQueue || qid >= nvme::kQueuePairs || !cqs_[qid].exists)
        return nvme::kStatusInvalidQueueId;
    for (const SubmissionQueue& sq : sqs_) {
        if (sq.exists && sq.cq_id == qid) return kStatusInvalidQueueDeletion;
    }
    cqs_[qid] = {};
    return nvme::kStatusSuccess;
}

/// What is inside of the queue is dropped; the host knows its commands ended with the queue.
uint16_t Controller::delete_sq(const nvme::SubmissionEntry& entry, uint64_t now_ps) {
    const uint32_t qid = nvme::cdw10_queue_id(entry.cdw10);
    if (qid == nvme::kAdminQueue || qid >= nvme::kQueuePairs || !sqs_[qid].exists)
        return nvme::kStatusInvalidQueueId;
    std::vector<uint32_t>& waiting = cqs_[sqs_[qid].cq_id].waiting;
    for (uint32_t slot = 0; slot < commands_.size(); ++slot) {
        if (!commands_[slot].active || commands_[slot].sq_id != qid) continue;
        waiting.erase(std::remove(waiting.begin(), waiting.end(), slot), waiting.end());
        free_slot(slot, now_ps);
    }
    set_outstanding(qid, 0, now_ps);
    sqs_[qid] = {};
    return nvme::kStatusSuccess;
}

uint32_t Controller::max_transfer_log2_pages() const {
    const uint32_t pages = std::max(1u, config_.disk.max_request_kib * 1024 / hal::kPageBytes);
    const auto log2 = static_cast<uint32_t>(std::bit_width(std::bit_ceil(pages)) - 1);
    // The identify field says "no limit" by 0, so the least limit is two pages; the most is what
    // one list of page pointers reaches.
    constexpr uint32_t kListLog2 = 9;
    return std::clamp(log2, 1u, kListLog2);
}

uint16_t Controller::identify(const nvme::SubmissionEntry& entry, sc_core::sc_time& delay) {
    if (entry.prp1 % hal::kPageBytes != 0) return nvme::kStatusInvalidPrpOffset;
    std::array<std::byte, hal::kPageBytes> page{};
    constexpr uint32_t kSectorLog2 = 9;
    switch (entry.cdw10 & 0xff) {
        case nvme::kIdentifyNamespace:
            if (entry.nsid != nvme::kNamespaceId) return nvme::kStatusInvalidNamespace;
            for (const uint32_t offset : {0u, 8u, 16u}) {  // size, capacity, in use
                put_number(page.data(), nvme::kIdNsSizeBlocks + offset, store_->sector_count());
            }
            put_number(page.data(), nvme::kIdNsFormat0, kSectorLog2 << 16);
            break;
        case nvme::kIdentifyController:
            put_text(page.data(), nvme::kIdSerial, 20,
                     "WEIR" + std::to_string(store_->disk_number()));
            put_text(page.data(), nvme::kIdModel, 40, "Weir " + config_.name);
            put_number(page.data(), nvme::kIdMaxTransferLog2,
                       static_cast<uint8_t>(max_transfer_log2_pages()));
            put_number(page.data(), nvme::kIdNamespaceCount, 1u);
            break;
        default:
            return nvme::kStatusInvalidField;
    }
    return dma_.write(entry.prp1, page.data(), hal::kPageBytes, delay)
               ? nvme::kStatusSuccess
               : nvme::kStatusDataTransferError;
}

/// Set features; get features answers with the same value.
uint16_t Controller::set_feature(const nvme::SubmissionEntry& entry, uint32_t& result) {
    const bool sets = entry.opcode == static_cast<uint8_t>(nvme::AdminOpcode::SetFeatures);
    switch (entry.cdw10 & 0xff) {
        case kFeatureNumberOfQueues: {
            constexpr uint32_t kPairsMinusOne = nvme::kQueuePairs - 2;
            result = kPairsMinusOne | (kPairsMinusOne << 16);
            return nvme::kStatusSuccess;
        }
        case kFeatureInterruptCoalescing:
            if (sets) {
                coalescing_entries_ = (entry.cdw11 & 0xff) + 1;
                coalescing_ps_ = (entry.cdw11 >> 8 & 0xff) * kCoalescingUnitPs;
            }
            result = (coalescing_entries_ == 0 ? 0 : coalescing_entries_ - 1) |
                     static_cast<uint32_t>(coalescing_ps_ / kCoalescingUnitPs) << 8;
            return nvme::kStatusSuccess;
        default:
            return nvme::kStatusInvalidField;
    }
}

/// Ends a command that is inside with status "aborted". False: no such command is.
bool Controller::abort_command(uint32_t cdw10, uint64_t now_ps) {
    const uint32_t sq_id = cdw10 & 0xffff;
    const uint32_t command_id = cdw10 >> 16;
    for (uint32_t slot = 0; slot < commands_.size(); ++slot) {
        Command& command = commands_[slot];
        if (!command.active || command.sq_id != sq_id || sq_id == nvme::kAdminQueue ||
            command.entry.command_id != command_id)
            continue;
        std::vector<uint32_t>& waiting = cqs_[sqs_[sq_id].cq_id].waiting;
        if (std::find(waiting.begin(), waiting.end(), slot) != waiting.end()) return false;
        command.serial = next_serial_++;  // its own steps no longer find it
        command.status = nvme::kStatusAborted;
        schedule(StepKind::Complete, now_ps, slot, command.serial);
        return true;
    }
    return false;
}

}  // namespace weir::disk
