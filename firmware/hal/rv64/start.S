// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// First instructions of every hart, the trap vector, and the change of contexts.
// All harts enter at _start in machine mode. Hart 0 clears .bss and releases the others.
// tp holds the hart's HartLocal (hal_rv64.h) for ever; gp is not used for relaxation.

#define BOOT_STACK_SHIFT 14  /* 16 KiB a hart: as a task's stack */

    .section .text.start, "ax"
    .globl _start
_start:
    csrw mie, zero
    csrci mstatus, 8
    csrr s0, mhartid
    la t0, weir_rv64_boot_stacks
    addi t1, s0, 1
    slli t1, t1, BOOT_STACK_SHIFT
    add sp, t0, t1
    la t0, weir_rv64_trap_entry
    csrw mtvec, t0
    bnez s0, 2f

    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 3f
    sd zero, 0(t0)
    addi t0, t0, 8
    j 1b
3:  fence rw, rw
    la t0, weir_rv64_released
    li t1, 1
    sw t1, 0(t0)
    j 4f

2:  la t0, weir_rv64_released
5:  lw t1, 0(t0)
    beqz t1, 5b
    fence rw, rw

4:  mv a0, s0
    call weir_rv64_hart_main
6:  wfi
    j 6b

// Saves what a C function may change, calls weir_rv64_trap(cause, value, pc), returns.
// mepc and mstatus are saved too, because the handler may let further traps in.
    .section .text
    .balign 4
    .globl weir_rv64_trap_entry
weir_rv64_trap_entry:
    addi sp, sp, -160
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd a0, 32(sp)
    sd a1, 40(sp)
    sd a2, 48(sp)
    sd a3, 56(sp)
    sd a4, 64(sp)
    sd a5, 72(sp)
    sd a6, 80(sp)
    sd a7, 88(sp)
    sd t3, 96(sp)
    sd t4, 104(sp)
    sd t5, 112(sp)
    sd t6, 120(sp)
    csrr t0, mepc
    csrr t1, mstatus
    sd t0, 128(sp)
    sd t1, 136(sp)
    csrr a0, mcause
    csrr a1, mtval
    mv a2, t0
    call weir_rv64_trap
    csrci mstatus, 8
    ld t0, 128(sp)
    ld t1, 136(sp)
    csrw mepc, t0
    csrw mstatus, t1
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld a0, 32(sp)
    ld a1, 40(sp)
    ld a2, 48(sp)
    ld a3, 56(sp)
    ld a4, 64(sp)
    ld a5, 72(sp)
    ld a6, 80(sp)
    ld a7, 88(sp)
    ld t3, 96(sp)
    ld t4, 104(sp)
    ld t5, 112(sp)
    ld t6, 120(sp)
    addi sp, sp, 160
    mret

// void weir_rv64_switch(Registers* from, const Registers* to): callee-saved registers only, since
// it is called as a function.
    .globl weir_rv64_switch
weir_rv64_switch:
    sd ra, 0(a0)
    sd sp, 8(a0)
    sd s0, 16(a0)
    sd s1, 24(a0)
    sd s2, 32(a0)
    sd s3, 40(a0)
    sd s4, 48(a0)
    sd s5, 56(a0)
    sd s6, 64(a0)
    sd s7, 72(a0)
    sd s8, 80(a0)
    sd s9, 88(a0)
    sd s10, 96(a0)
    sd s11, 104(a0)
    ld ra, 0(a1)
    ld sp, 8(a1)
    ld s0, 16(a1)
    ld s1, 24(a1)
    ld s2, 32(a1)
    ld s3, 40(a1)
    ld s4, 48(a1)
    ld s5, 56(a1)
    ld s6, 64(a1)
    ld s7, 72(a1)
    ld s8, 80(a1)
    ld s9, 88(a1)
    ld s10, 96(a1)
    ld s11, 104(a1)
    ret

    .section .data
    .balign 8
weir_rv64_released:
    .word 0

    .section .bss.stacks, "aw", @nobits
    .balign 16
weir_rv64_boot_stacks:
    .skip 16 << BOOT_STACK_SHIFT
