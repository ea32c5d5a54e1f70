/* A fat binary with one image, as nvcc lays it out, around the file IMAGE. KIND 1: PTX, 2: machine
 * code. MAGIC other than 0xBA55ED50 makes it a corrupt one. */
#ifndef MAGIC
#define MAGIC 0xBA55ED50
#endif

    .section .nv_fatbin, "a"
    .balign 8
    .globl fatbin_container
    .hidden fatbin_container
fatbin_container:
    .long MAGIC
    .short 1, 16
    .quad end - entry
entry:
    .short KIND, 0x101
    .long payload - entry
    .quad end - payload
    .long 0, 0
    .short 0, 8                 /* PTX 8.0 */
    .long 90
    .long 0, 0
    .quad 0x11
    .quad 0, 0
payload:
    .incbin IMAGE
    .byte 0
    .balign 8
end:

    .section .note.GNU-stack, "", @progbits
