// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// libsystemc brings a main() that calls sc_main(), so the symbol must exist. Every program of this
// project has a main() of its own and calls sc_start() from it; this one only says so.
#include <systemc>

#include <cstdio>

int sc_main(int, char*[]) {
    std::fputs("weir: linked without a main() of its own; list it before libsystemc\n", stderr);
    return 2;
}
