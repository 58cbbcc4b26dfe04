// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A device standard as data: what a standard file says, resolved to clocks of one channel.
// - Spec: organisation, timing parameters by datasheet name, the rules made of them, currents.
// - A Rule reads: at this level, a command of `following` comes at least `clocks` after a command
//   of `preceding`. With window n, after the n-th last such command (four-activate: n = 4).
// Files: testbenches/dram/standards/*.toml; the loader is testbenches/runner/dram/standard_file.
#pragma once

#include "sc_models/dram/core/command.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir::dram {

struct Organization {
    uint32_t ranks = 1;
    uint32_t bank_groups = 1;      // a rank; 1 where the standard has none
    uint32_t banks_per_group = 4;  // banks of a rank = bank_groups x banks_per_group
    uint32_t rows = 0;             // of a bank
    uint32_t columns = 0;          // of a row, device columns
    uint32_t device_width_bits = 8;
    uint32_t devices = 8;          // of a rank: bus width = devices x device_width_bits
    uint32_t burst_length = 8;     // beats
    uint32_t beats_per_clock = 2;  // 1: SDR

    uint32_t banks_per_rank() const { return bank_groups * banks_per_group; }
    uint32_t banks() const { return ranks * banks_per_rank(); }
    uint32_t bus_bytes() const { return devices * device_width_bits / 8; }
    /// One burst: the smallest amount that moves.
    uint32_t access_bytes() const { return bus_bytes() * burst_length; }
    uint32_t bursts_per_row() const { return columns / burst_length; }
    uint32_t burst_clocks() const { return burst_length / beats_per_clock; }
    uint64_t bytes() const {
        return uint64_t{1} * banks() * rows * bursts_per_row() * access_bytes();
    }
};

enum class Level : uint8_t {
    Bank,
    BankGroup,
    Rank,
    OtherRanks,  // every rank but the one of the preceding command
    Channel,
};

struct Rule {
    std::string name;  // as reports say it: "tFAW", "tCCD_L", "read to write"
    Level level = Level::Bank;
    CommandSet preceding = 0;
    CommandSet following = 0;
    uint32_t clocks = 0;
    uint32_t window = 1;
    std::string source;
};

/// A timing parameter as the datasheet names it.
struct Parameter {
    std::string name;
    uint32_t clocks = 0;
    double ns = 0;  // 0 if the file gives clocks
    std::string source;
};

/// One device's supply currents, mA, and its supply voltage. Absent where no datasheet gives them.
struct Currents {
    bool known = false;
    double vdd_v = 0;
    double idd0_ma = 0, idd2n_ma = 0, idd2p_ma = 0, idd3n_ma = 0, idd3p_ma = 0;
    double idd4r_ma = 0, idd4w_ma = 0, idd5b_ma = 0;
    std::string source;
};

/// A step of the power-up sequence: the command, and how long to wait before it.
struct PowerUpStep {
    Command command;
    uint32_t wait_clocks;
};

struct Spec {
    std::string name;  // "DDR4-2400R"
    uint32_t tck_ps = 0;
    Organization organization;
    std::vector<Parameter> parameters;
    std::vector<Rule> rules;
    Currents currents;
    std::vector<PowerUpStep> power_up;

    // Latencies that the data path needs, also among the parameters.
    uint32_t cl_clocks = 0;
    uint32_t cwl_clocks = 0;
    uint32_t trcd_clocks = 0;
    uint32_t trp_clocks = 0;
    uint32_t tras_clocks = 0;
    uint32_t trc_clocks = 0;
    uint32_t trtp_clocks = 0;  // read to precharge, or to the one that RDA hides
    uint32_t twr_clocks = 0;   // end of the write burst, CWL + burst clocks after WR, to precharge
    uint32_t trfc_clocks = 0;
    uint32_t trefi_clocks = 0;
    uint32_t tras_max_clocks = 0;  // row left open at most; 0: no limit
    uint32_t txp_clocks = 0;       // 0: no power-down
    uint32_t tcke_clocks = 0;
    bool per_bank_refresh = false;  // REFPB exists
    uint32_t trfc_pb_clocks = 0;
    uint32_t refresh_postpone_max = 8;
    uint32_t refresh_pull_in_max = 8;

    /// Clocks of a parameter by its datasheet name; 0 and found = false if there is none.
    uint32_t clocks_of(const std::string& parameter, bool* found = nullptr) const;
    uint64_t peak_bytes_per_s() const {
        return 1'000'000'000'000ull * organization.bus_bytes() * organization.beats_per_clock /
               tck_ps;
    }
};

}  // namespace weir::dram
