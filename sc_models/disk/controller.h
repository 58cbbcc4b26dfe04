// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The disk controller: a reduced NVMe 1.x profile (registers: firmware/hal/nvme_regs.h) in front of
// a Medium (timing) and a BlockStore (bytes), with the congestion block of design.md.
// - Admin queue plus pair 1 (sync) and pair 2 (async). Commands are fetched one after another while
//   fewer are inside than the medium and device_queue_depth allow; round robin between the pairs.
// - Page data crosses the DMA socket during the command's bus phase; then the completion entry, the
//   head update and the interrupt.
// - Everything is driven by one event; no process runs while nothing happens.
// Loosely timed. Register accesses take no time here and carry the caller's delay; addresses are
// offsets from the controller's base. Payloads belong to their initiators. Nothing here waits.
// Leaves out: see docs/models/disk_controller.md.
#pragma once

#include "firmware/hal/nvme_regs.h"
#include "sc_models/common/register_file.h"
#include "sc_models/disk/block_store.h"
#include "sc_models/disk/congestion_monitor.h"
#include "sc_models/disk/content_observer.h"
#include "sc_models/disk/device_stats.h"
#include "sc_models/disk/dma_engine.h"
#include "sc_models/disk/medium.h"
#include "sc_models/machine/config.h"
#include "sc_models/probe/recorder.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::disk {

struct ControllerConfig {
    std::string name;  // for the figures: "disk0", "swap"
    machine::DiskConfig disk;
};

class Controller : public sc_core::sc_module {
  public:
    /// Shapes: `medium` holds at least as many sectors as `store`.
    /// Errors: throws std::invalid_argument naming the machine key that cannot be.
    Controller(sc_core::sc_module_name module_name, const ControllerConfig& config,
               std::unique_ptr<Medium> medium, std::unique_ptr<BlockStore> store,
               probe::Recorder& recorder, const std::string& signal_prefix);
    ~Controller() override;

    tlm_utils::simple_target_socket<Controller> register_socket;
    tlm_utils::simple_initiator_socket<Controller> dma_socket;
    sc_core::sc_out<bool> irq_out;

    DeviceStats stats(uint64_t now_ps) const;
    BlockStore& store() { return *store_; }
    /// Not owned; null: none.
    void set_content_observer(ContentObserver* observer) { observer_ = observer; }
    /// Interrupts that FaultConfig::drop_interrupt_every swallowed.
    uint64_t dropped_interrupts() const { return dropped_interrupts_; }
    /// The plan of the command completed last, for explain().
    const MediumPlan& last_plan() const { return last_plan_; }

  private:
    static constexpr uint32_t kNoSlot = 0xffffffffu;
    struct SubmissionQueue {
        bool exists = false;
        uint64_t base = 0;
        uint32_t entries = 0;
        uint32_t head = 0;  // next to fetch
        uint32_t tail = 0;
        uint32_t cq_id = 0;
        uint32_t outstanding = 0;            // from doorbell to completion entry
        std::vector<uint64_t> submitted_ps;  // doorbell time, by ring place
    };
    struct CompletionQueue {
        bool exists = false;
        bool irq_enabled = false;
        bool irq_pending = false;
        bool phase = true;
        uint64_t base = 0;
        uint32_t entries = 0;
        uint32_t head = 0;
        uint32_t tail = 0;
        uint32_t vector = 0;
        uint32_t coalesced = 0;         // entries since the last interrupt
        uint64_t timer_serial = 0;      // the coalescing time-out that counts; 0: none
        std::vector<uint32_t> waiting;  // slots that found the ring full, oldest first
    };
    struct Command {
        bool active = false;
        bool moves_data = false;  // read data still to be put into memory
        uint64_t serial = 0;      // tells successive users of a slot apart
        hal::nvme::SubmissionEntry entry{};
        uint32_t sq_id = 0;
        uint64_t submitted_ps = 0;
        uint16_t status = 0;
        uint32_t result = 0;
        uint64_t bytes = 0;
        MediumPlan plan;
        std::vector<DmaRun> runs;
        uint32_t older = kNoSlot;  // order of fetching
        uint32_t younger = kNoSlot;
        bool in_medium = false;
    };
    enum class StepKind : uint8_t { TransferData, Complete, BecomeReady, CoalescingTimeout };
    struct Step {
        uint64_t at_ps;
        uint64_t sequence;
        uint64_t serial;
        uint32_t index;  // slot, or completion queue
        StepKind kind;
    };

    // Registers (controller.cpp).
    void define_registers();
    void register_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned register_debug(tlm::tlm_generic_payload& trans);
    uint64_t read_cap(uint32_t);
    uint64_t read_vs(uint32_t);
    uint64_t read_mask(uint32_t);
    void set_mask(uint32_t, uint64_t value);
    void clear_mask(uint32_t, uint64_t value);
    uint64_t read_cc(uint32_t);
    void write_cc(uint32_t, uint64_t value);
    uint64_t read_csts(uint32_t);
    uint64_t read_aqa(uint32_t);
    void write_aqa(uint32_t, uint64_t value);
    uint64_t read_asq(uint32_t);
    void write_asq(uint32_t, uint64_t value);
    uint64_t read_acq(uint32_t);
    void write_acq(uint32_t, uint64_t value);
    void ring_sq_tail(uint32_t qid, uint64_t value);
    void ring_cq_head(uint32_t qid, uint64_t value);
    template <uint64_t kFirstOffset>
    uint64_t read_congestion(uint32_t index);
    template <uint64_t kFirstOffset>
    void write_congestion(uint32_t index, uint64_t value);
    void invalidate_direct(sc_dt::uint64 first, sc_dt::uint64 last);
    void enable(uint64_t now_ps);
    void reset(uint64_t now_ps);
    void become_fatal(uint64_t now_ps);
    static uint64_t after(uint64_t now_ps, const sc_core::sc_time& delay) {
        return now_ps + delay.value();
    }
    bool ready() const { return (csts_ & hal::nvme::kCstsReady) != 0; }
    bool fatal() const { return (csts_ & hal::nvme::kCstsFatal) != 0; }

    // Interrupt line (controller.cpp).
    void request_interrupt(uint32_t cq_id, uint64_t now_ps);
    void raise(uint32_t cq_id, uint64_t now_ps);
    void update_irq(uint64_t now_ps);
    void drive_irq_method();

    // Commands (controller_commands.cpp).
    void run_method();
    void wake_at(uint64_t at_ps);
    void schedule(StepKind kind, uint64_t at_ps, uint32_t index, uint64_t serial);
    void do_step(const Step& step, uint64_t now_ps);
    void fetch_commands(uint64_t now_ps);
    uint32_t choose_queue();
    void fetch_one(uint32_t sq_id, uint64_t now_ps);
    uint32_t take_slot();
    void free_slot(uint32_t slot, uint64_t now_ps);
    void complete(uint32_t slot, uint64_t now_ps);
    void post_entry(uint32_t slot, uint64_t now_ps);
    void set_outstanding(uint32_t sq_id, uint32_t outstanding, uint64_t now_ps);
    void enter_medium(uint32_t slot, uint64_t now_ps);
    void leave_medium(uint32_t slot, uint64_t now_ps);
    void show_phase(uint64_t now_ps);

    // Reads, writes and flushes (controller_io.cpp).
    void execute_io(uint32_t slot, uint64_t now_ps, uint64_t start_ps);
    void execute_transfer(uint32_t slot, uint64_t now_ps, uint64_t start_ps);
    uint16_t check_io(const Command& command) const;
    uint16_t gather_runs(Command& command, sc_core::sc_time& delay);
    void append_run(Command& command, uint64_t address, uint32_t bytes);
    bool is_unreadable(hal::Sector first, uint32_t count) const;
    bool move_data(Command& command, hal::Access memory_access, sc_core::sc_time& delay);
    bool move_pages(Command& command, hal::Access memory_access, sc_core::sc_time& delay);
    bool move_by_copy(Command& command, hal::Access memory_access, sc_core::sc_time& delay);
    void move_block(uint64_t block, std::byte* page, hal::Access memory_access, uint64_t now_ps);

    // Admin commands (controller_admin.cpp).
    void execute_admin(uint32_t slot, uint64_t now_ps, uint64_t start_ps);
    uint16_t create_cq(const hal::nvme::SubmissionEntry& entry);
    uint16_t create_sq(const hal::nvme::SubmissionEntry& entry);
    uint16_t delete_cq(const hal::nvme::SubmissionEntry& entry);
    uint16_t delete_sq(const hal::nvme::SubmissionEntry& entry, uint64_t now_ps);
    uint16_t identify(const hal::nvme::SubmissionEntry& entry, sc_core::sc_time& delay);
    uint16_t set_feature(const hal::nvme::SubmissionEntry& entry, uint32_t& result);
    bool abort_command(uint32_t cdw10, uint64_t now_ps);
    uint32_t max_transfer_log2_pages() const;

    ControllerConfig config_;
    std::unique_ptr<Medium> medium_;
    std::unique_ptr<BlockStore> store_;
    probe::Recorder& recorder_;
    DmaEngine dma_;
    CongestionMonitor monitor_;
    RegisterFile<Controller> registers_;
    ContentObserver* observer_ = nullptr;

    uint64_t access_ps_ = 0;  // when the register access being served happens
    uint32_t cc_ = 0;
    uint32_t csts_ = 0;
    uint32_t aqa_ = 0;
    uint32_t interrupt_mask_ = 0;
    uint64_t asq_ = 0;
    uint64_t acq_ = 0;
    uint64_t enable_serial_ = 0;
    uint32_t coalescing_entries_ = 0;
    uint64_t coalescing_ps_ = 0;

    std::array<SubmissionQueue, hal::nvme::kQueuePairs> sqs_;
    std::array<CompletionQueue, hal::nvme::kQueuePairs> cqs_;
    uint32_t next_io_queue_ = hal::nvme::kSyncQueue;
    uint32_t io_in_flight_ = 0;
    uint32_t io_in_flight_limit_;
    uint64_t fetch_free_ps_ = 0;

    std::vector<Command> commands_;
    std::vector<uint32_t> free_slots_;
    uint64_t next_serial_ = 1;
    uint32_t oldest_ = kNoSlot;
    uint32_t youngest_ = kNoSlot;
    std::vector<Step> steps_;  // a heap, earliest first
    uint64_t next_sequence_ = 0;
    uint64_t wake_ps_;
    sc_core::sc_event run_event_;
    std::vector<std::byte> copy_buffer_;

    bool irq_level_ = false;
    uint64_t irq_changed_ps_ = 0;
    sc_core::sc_event irq_event_;
    probe::SignalId irq_signal_;
    probe::SignalId phase_signal_;
    Phase phase_ = Phase::Idle;
    uint64_t phase_since_ps_ = 0;
    uint64_t next_phase_ps_;

    DeviceStats stats_;
    std::vector<uint64_t> unreadable_sectors_;  // ascending
    uint64_t io_commands_ = 0;
    uint64_t interrupts_ = 0;
    uint64_t dropped_interrupts_ = 0;
    MediumPlan last_plan_;
};

}  // namespace weir::disk
