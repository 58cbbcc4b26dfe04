// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The kernel's entry point, called by the machine on every hart with BootInfo in place.
#pragma once

/// Runs the kernel on this hart. Does not return: hart 0 ends in hal::power_off or hal::panic.
extern "C" void weir_firmware_main();
