/* Around every call of an API library whose calls are recorded; included by what calls/make.sh
 * writes. Works for any function: it gives on registers and up to STACK_BYTES of arguments on the
 * stack, and keeps what comes back. Where the category is not wanted, it costs a test and a jump. */

#define STACK_BYTES 320

/* r11: its struct wl_timeline_call; r10: the function itself */
    .text
    .type wl_timeline_trampoline, @function
wl_timeline_trampoline:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $(STACK_BYTES + 208), %rsp
    mov %r11, -8(%rbp)
    mov %r10, -16(%rbp)
    mov %rdi, -24(%rbp)
    mov %rsi, -32(%rbp)
    mov %rdx, -40(%rbp)
    mov %rcx, -48(%rbp)
    mov %r8, -56(%rbp)
    mov %r9, -64(%rbp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\n, -(96 + 16 * \n)(%rbp)
    .endr
    mov %r11, %rdi
    call wl_timeline_call_begin@PLT
    mov %rax, -72(%rbp)
    .set offset, 0
    .rept STACK_BYTES / 16
    movups 16 + offset(%rbp), %xmm0
    movups %xmm0, offset(%rsp)
    .set offset, offset + 16
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups -(96 + 16 * \n)(%rbp), %xmm\n
    .endr
    mov -64(%rbp), %r9
    mov -56(%rbp), %r8
    mov -48(%rbp), %rcx
    mov -40(%rbp), %rdx
    mov -32(%rbp), %rsi
    mov -24(%rbp), %rdi
    call *-16(%rbp)
    mov %rax, -16(%rbp)
    mov %rdx, -24(%rbp)
    movups %xmm0, -96(%rbp)
    movups %xmm1, -112(%rbp)
    mov -8(%rbp), %rdi
    mov -72(%rbp), %rsi
    mov %rax, %rdx
    call wl_timeline_call_end@PLT
    mov -16(%rbp), %rax
    mov -24(%rbp), %rdx
    movups -96(%rbp), %xmm0
    movups -112(%rbp), %xmm1
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size wl_timeline_trampoline, . - wl_timeline_trampoline

/* A call: the name that programs see, the name that is shown. Its category is a bit of the first byte of
 * wl_timeline_wanted, whose lowest bit is for all. */
    .macro TRACED_CALL name, shown
    .section .rodata.str1.1, "aMS", @progbits, 1
7:
    .string "\shown"
    .section .data.rel.wl_timeline_calls, "aw", @progbits
    .balign 16
8:
    .quad 7b
    .long 0
    .long CATEGORY
    .text
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    endbr64
    mov wl_timeline_wanted@GOTPCREL(%rip), %r11
    testb $(1 << CATEGORY | 1), (%r11)
    jnz 9f
    jmp wl_traced_\name
9:
    lea 8b(%rip), %r11
    lea wl_traced_\name(%rip), %r10
    jmp wl_timeline_trampoline
    .cfi_endproc
    .size \name, . - \name
    .endm

    .section .note.GNU-stack, "", @progbits
