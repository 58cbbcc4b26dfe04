// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What goes over the command bus of an SDRAM channel, and who may listen.
// - Command: the vocabulary of the rule tables; command_name() is how files and reports write it.
// - CommandRecord: one command with its place; a field that a command lacks is kNoField.
// - CommandObserver: hears every command in the order of its clock (the checker, the command file).
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::dram {

enum class Command : uint8_t {
    Act,
    Rd,
    Rda,  // read with auto-precharge
    Wr,
    Wra,    // write with auto-precharge
    Pre,    // one bank
    Prea,   // all banks of a rank
    Ref,    // all banks of a rank
    Refpb,  // one bank
    Pde,    // power-down entry: CKE low
    Pdx,    // power-down exit: CKE high
    Mrs,
    Zqcl,
};
inline constexpr uint32_t kCommandCount = 13;

/// As in files: ACT RD RDA WR WRA PRE PREA REF REFPB PDE PDX MRS ZQCL.
std::string_view command_name(Command command);
/// False if the name is none of these.
bool command_from_name(std::string_view name, Command& command);

constexpr bool is_read(Command c) {
    return c == Command::Rd || c == Command::Rda;
}
constexpr bool is_write(Command c) {
    return c == Command::Wr || c == Command::Wra;
}
constexpr bool is_column(Command c) {
    return is_read(c) || is_write(c);
}
constexpr bool auto_precharges(Command c) {
    return c == Command::Rda || c == Command::Wra;
}

/// A set of commands, one bit each.
using CommandSet = uint32_t;
constexpr CommandSet set_of(Command c) {
    return 1u << static_cast<uint32_t>(c);
}
constexpr bool contains(CommandSet set, Command c) {
    return (set & set_of(c)) != 0;
}

inline constexpr uint32_t kNoField = ~0u;

/// bank_group and bank count from 0 within their rank and bank group; row as the device's, column
/// in device columns of the first beat.
struct CommandRecord {
    uint64_t clk;
    Command command;
    uint32_t rank = kNoField;
    uint32_t bank_group = kNoField;
    uint32_t bank = kNoField;
    uint32_t row = kNoField;
    uint32_t column = kNoField;
};

class CommandObserver {
  public:
    virtual ~CommandObserver() = default;
    virtual void on_command(const CommandRecord& record) = 0;
};

}  // namespace weir::dram
