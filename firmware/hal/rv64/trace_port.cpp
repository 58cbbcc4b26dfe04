// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// firmware/hal/trace.h on bare RV64: stores to this hart's trace window (machine_map.h).
#include "firmware/hal/hal.h"
#include "firmware/hal/rv64/machine_map.h"
#include "firmware/hal/trace.h"

namespace weir::hal {

namespace {

void put(uint64_t offset, uint64_t value) {
    mmio_write64(rv64::kTraceBase + (rv64::kTraceStrideBytes * hart_id() + offset), value);
}

}  // namespace

void trace(Event event, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
           uint64_t a5) {
    // An interrupt in between would mix its own record into this one.
    const bool irqs_were_on = irq_save();
    const uint64_t arguments[] = {a0, a1, a2, a3, a4, a5};
    for (uint32_t i = 0; i < 6; ++i) put(rv64::kTraceArgument0 + 8ull * i, arguments[i]);
    put(rv64::kTraceEvent, static_cast<uint64_t>(event));
    irq_restore(irqs_were_on);
}

void gauge(Gauge id, uint32_t index, uint64_t value) {
    const bool irqs_were_on = irq_save();
    put(rv64::kTraceGaugeIndex, index);
    put(rv64::kTraceGaugeValue, value);
    put(rv64::kTraceGauge, static_cast<uint64_t>(id));
    irq_restore(irqs_were_on);
}

void export_counters(const uint64_t* counters, uint32_t count) {
    const bool irqs_were_on = irq_save();
    put(rv64::kTraceCounters, reinterpret_cast<uint64_t>(counters));
    put(rv64::kTraceCounterCount, count);
    irq_restore(irqs_were_on);
}

}  // namespace weir::hal
