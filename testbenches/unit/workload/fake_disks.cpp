// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The fake disks of the mm tests, compiled into this folder's test program too.
#include "testbenches/unit/mm/fake_block.cpp"
