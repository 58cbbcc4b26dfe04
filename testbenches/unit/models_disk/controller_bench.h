// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A controller between a small RAM and a driver made of plain TLM transactions.
// - run(body): simulates; body runs in a SystemC thread and may wait().
// - enable(), create_pairs(): bring the controller up as a driver would.
// - submit(), ring(), completion(): one command; wait_completion(): until its entry is there.
// One bench a process: SystemC elaborates once.
#pragma once

#include "sc_models/common/timing_hint.h"
#include "sc_models/disk/controller.h"
#include "sc_models/disk/media.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace weir::test {

namespace nvme = hal::nvme;

inline constexpr uint64_t kRamBase = 0x8000'0000;
inline constexpr uint64_t kRamBytes = 8ull << 20;

/// RAM that charges 100 ns a transaction and says what was asked of it.
class Ram : public sc_core::sc_module {
  public:
    explicit Ram(sc_core::sc_module_name module_name)
        : sc_module(module_name), socket("socket"), bytes(kRamBytes) {
        socket.register_b_transport(this, &Ram::transport);
        socket.register_get_direct_mem_ptr(this, &Ram::grant);
    }
    tlm_utils::simple_target_socket<Ram> socket;
    std::vector<unsigned char> bytes;
    bool grants_direct = true;
    uint32_t reads = 0;
    uint32_t writes = 0;
    uint32_t timed_reads = 0;
    uint32_t timed_writes = 0;
    uint64_t timed_bytes = 0;

  private:
    void transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
        delay += sc_core::sc_time(100, sc_core::SC_NS);
        const uint64_t address = trans.get_address();
        const uint64_t length = trans.get_data_length();
        if (address < kRamBase || address + length > kRamBase + kRamBytes) {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* at = bytes.data() + (address - kRamBase);
        if (trans.is_read()) {
            ++reads;
            std::memcpy(trans.get_data_ptr(), at, length);
        } else if (trans.is_write()) {
            ++writes;
            std::memcpy(at, trans.get_data_ptr(), length);
        } else {
            const auto* hint = trans.get_extension<TimingHint>();
            if (hint != nullptr && hint->access == hal::Access::Write)
                ++timed_writes;
            else
                ++timed_reads;
            timed_bytes += length;
        }
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    bool grant(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
        const uint64_t address = trans.get_address();
        if (!grants_direct || address < kRamBase || address >= kRamBase + kRamBytes) return false;
        dmi.set_dmi_ptr(bytes.data());
        dmi.set_start_address(kRamBase);
        dmi.set_end_address(kRamBase + kRamBytes - 1);
        dmi.allow_read_write();
        return true;
    }
};

class ControllerBench : public sc_core::sc_module {
  public:
    // Where things lie in RAM.
    static constexpr uint64_t kAdminSq = kRamBase + 0x0000;
    static constexpr uint64_t kAdminCq = kRamBase + 0x1000;
    static constexpr uint64_t kIoSq = kRamBase + 0x1'0000;  // + qid * 0x4000
    static constexpr uint64_t kIoCq = kRamBase + 0x2'0000;
    static constexpr uint64_t kIoQueueBytes = 0x4000;
    static constexpr uint64_t kLists = kRamBase + 0x4'0000;
    static constexpr uint64_t kData = kRamBase + 0x10'0000;

    static disk::ControllerConfig small_disk() {
        disk::ControllerConfig config;
        config.name = "disk0";
        config.disk.size_mib = 64;
        return config;
    }

    explicit ControllerBench(const disk::ControllerConfig& config = small_disk(),
                             sc_core::sc_module_name module_name = "bench")
        : sc_module(module_name),
          ram("ram"),
          controller("controller", config, disk::make_medium(config.disk),
                     std::make_unique<disk::BlockStore>(3, disk::sectors_of(config.disk)), recorder,
                     "machine.disk0"),
          socket("socket"),
          irq("irq") {
        socket.bind(controller.register_socket);
        controller.dma_socket.bind(ram.socket);
        controller.irq_out.bind(irq);
        SC_HAS_PROCESS(ControllerBench);
        SC_THREAD(body_thread);
    }

    void run(std::function<void()> body) {
        body_ = std::move(body);
        sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
        finished = ended_;
    }

    // ---- registers ----
    tlm::tlm_response_status access(tlm::tlm_command command, uint64_t offset, void* bytes,
                                    uint32_t length, bool byte_enables = false) {
        tlm::tlm_generic_payload trans;
        unsigned char enables[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
        trans.set_command(command);
        trans.set_address(offset);
        trans.set_data_ptr(static_cast<unsigned char*>(bytes));
        trans.set_data_length(length);
        trans.set_streaming_width(length);
        if (byte_enables) {
            trans.set_byte_enable_ptr(enables);
            trans.set_byte_enable_length(length);
        }
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(trans, delay);
        return trans.get_response_status();
    }
    uint32_t read32(uint64_t offset) {
        uint32_t value = 0;
        last_response = access(tlm::TLM_READ_COMMAND, offset, &value, 4);
        return value;
    }
    uint64_t read64(uint64_t offset) {
        uint64_t value = 0;
        last_response = access(tlm::TLM_READ_COMMAND, offset, &value, 8);
        return value;
    }
    void write32(uint64_t offset, uint32_t value) {
        last_response = access(tlm::TLM_WRITE_COMMAND, offset, &value, 4);
    }
    void write64(uint64_t offset, uint64_t value) {
        last_response = access(tlm::TLM_WRITE_COMMAND, offset, &value, 8);
    }
    uint32_t cong(uint64_t offset) { return read32(nvme::kRegCongestion + offset); }

    // ---- driver ----
    struct Ring {
        uint64_t sq = 0;
        uint64_t cq = 0;
        uint32_t sq_entries = 0;
        uint32_t cq_entries = 0;
        uint32_t tail = 0;
        uint32_t cq_head = 0;
        bool phase = true;
    };
    void enable(uint32_t admin_entries = 8) {
        rings[0] = {kAdminSq, kAdminCq, admin_entries, admin_entries, 0, 0, true};
        std::memset(ptr(kAdminCq), 0, 0x1000);
        write32(nvme::kRegAqa, nvme::make_aqa(admin_entries, admin_entries));
        write64(nvme::kRegAsq, kAdminSq);
        write64(nvme::kRegAcq, kAdminCq);
        write32(nvme::kRegCc, nvme::kCcEnabled);
        for (uint32_t i = 0; i < 100 && (read32(nvme::kRegCsts) & nvme::kCstsReady) == 0; ++i)
            sc_core::wait(1, sc_core::SC_US);
    }
    uint16_t create_cq(uint32_t qid, uint32_t entries, uint32_t vector, uint64_t base) {
        nvme::SubmissionEntry entry = admin(nvme::AdminOpcode::CreateCq);
        entry.cdw10 = nvme::create_queue_cdw10(qid, entries);
        entry.cdw11 = nvme::create_cq_cdw11(vector);
        entry.prp1 = base;
        return do_admin(entry);
    }
    uint16_t create_sq(uint32_t qid, uint32_t entries, uint32_t cq_id, uint64_t base) {
        nvme::SubmissionEntry entry = admin(nvme::AdminOpcode::CreateSq);
        entry.cdw10 = nvme::create_queue_cdw10(qid, entries);
        entry.cdw11 = nvme::create_sq_cdw11(cq_id);
        entry.prp1 = base;
        return do_admin(entry);
    }
    void create_pairs(uint32_t entries) { create_pairs(entries, entries); }
    void create_pairs(uint32_t sq_entries, uint32_t cq_entries) {
        for (uint32_t qid = 1; qid < nvme::kQueuePairs; ++qid) {
            const uint64_t sq = kIoSq + qid * kIoQueueBytes;
            const uint64_t cq = kIoCq + qid * kIoQueueBytes;
            std::memset(ptr(cq), 0, kIoQueueBytes);
            create_cq(qid, cq_entries, qid, cq);
            create_sq(qid, sq_entries, qid, sq);
            rings[qid] = {sq, cq, sq_entries, cq_entries, 0, 0, true};
        }
    }
    void bring_up(uint32_t entries = 64) {
        enable();
        create_pairs(entries);
    }
    static nvme::SubmissionEntry admin(nvme::AdminOpcode opcode) {
        nvme::SubmissionEntry entry{};
        entry.opcode = static_cast<uint8_t>(opcode);
        return entry;
    }
    static nvme::SubmissionEntry io(nvme::IoOpcode opcode, uint64_t sector, uint32_t count,
                                    uint64_t prp1, uint64_t prp2 = 0) {
        nvme::SubmissionEntry entry{};
        entry.opcode = static_cast<uint8_t>(opcode);
        entry.nsid = nvme::kNamespaceId;
        nvme::set_lba_range(entry, hal::Sector{sector}, count);
        entry.prp1 = prp1;
        entry.prp2 = prp2;
        return entry;
    }
    /// Puts an entry into the ring; ring() tells the controller.
    uint16_t submit(uint32_t qid, nvme::SubmissionEntry entry) {
        Ring& ring = rings[qid];
        entry.command_id = next_command_id_++;
        std::memcpy(ptr(ring.sq + uint64_t{ring.tail} * sizeof entry), &entry, sizeof entry);
        ring.tail = (ring.tail + 1) % ring.sq_entries;
        return entry.command_id;
    }
    void ring(uint32_t qid) { write32(nvme::sq_tail_doorbell(qid, 0), rings[qid].tail); }
    /// The next completion entry, without taking it; null: there is none.
    const nvme::CompletionEntry* peek(uint32_t qid) {
        Ring& ring = rings[qid];
        const auto* entry = reinterpret_cast<const nvme::CompletionEntry*>(
            ptr(ring.cq + uint64_t{ring.cq_head} * sizeof(nvme::CompletionEntry)));
        return nvme::phase_of(entry->status_phase) == ring.phase ? entry : nullptr;
    }
    /// Takes the next completion; the head doorbell is acknowledge()'s.
    bool take(uint32_t qid, nvme::CompletionEntry& entry) {
        const nvme::CompletionEntry* found = peek(qid);
        if (found == nullptr) return false;
        entry = *found;
        Ring& ring = rings[qid];
        if (++ring.cq_head == ring.cq_entries) {
            ring.cq_head = 0;
            ring.phase = !ring.phase;
        }
        return true;
    }
    void acknowledge(uint32_t qid) { write32(nvme::cq_head_doorbell(qid, 0), rings[qid].cq_head); }
    /// Waits for a completion, takes and acknowledges it. status 0xffff: none came in time.
    nvme::CompletionEntry wait_completion(uint32_t qid, uint64_t limit_us = 200'000) {
        nvme::CompletionEntry entry{};
        for (uint64_t i = 0; i < limit_us; ++i) {
            if (take(qid, entry)) {
                acknowledge(qid);
                return entry;
            }
            sc_core::wait(1, sc_core::SC_US);
        }
        entry.status_phase = 0xffff;
        return entry;
    }
    uint16_t do_admin(const nvme::SubmissionEntry& entry) {
        submit(0, entry);
        ring(0);
        last_admin = wait_completion(0);
        return nvme::status_of(last_admin.status_phase);
    }
    uint16_t do_io(uint32_t qid, const nvme::SubmissionEntry& entry) {
        submit(qid, entry);
        ring(qid);
        return nvme::status_of(wait_completion(qid).status_phase);
    }
    uint16_t read_page(uint64_t block, uint64_t address) {
        return do_io(nvme::kSyncQueue, io(nvme::IoOpcode::Read, block * 8, 8, address));
    }
    uint16_t write_page(uint64_t block, uint64_t address) {
        return do_io(nvme::kAsyncQueue, io(nvme::IoOpcode::Write, block * 8, 8, address));
    }
    unsigned char* ptr(uint64_t address) { return ram.bytes.data() + (address - kRamBase); }
    uint64_t now_ps() const { return sc_core::sc_time_stamp().value(); }
    void wait_us(double us) { sc_core::wait(us, sc_core::SC_US); }
    disk::DeviceStats stats() const { return controller.stats(now_ps()); }

    probe::Recorder recorder;
    Ram ram;
    disk::Controller controller;
    tlm_utils::simple_initiator_socket<ControllerBench> socket;
    sc_core::sc_signal<bool> irq;
    Ring rings[nvme::kQueuePairs];
    tlm::tlm_response_status last_response = tlm::TLM_INCOMPLETE_RESPONSE;
    nvme::CompletionEntry last_admin{};
    bool finished = false;

  private:
    void body_thread() {
        body_();
        ended_ = true;
        sc_core::sc_stop();
    }
    std::function<void()> body_;
    uint16_t next_command_id_ = 1;
    bool ended_ = false;
};

}  // namespace weir::test
