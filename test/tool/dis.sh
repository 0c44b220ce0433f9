# A line of words gives a line of text: with an address, after --pc, without; aliases and
# --raw; names of CSRs; 64-bit words; words that no instruction has.
# run: B=%b sh %s

words() { printf '%s\n' "$@"; }
words 02c0006f fe0718e3 | "$B/ventus" dis
words 80000144 02c0006f | "$B/ventus" dis
words '80000144 00009e5b' '0x80000148: 0x00000013' '8000014C 5e0040d7 # a comment' | "$B/ventus" dis
words 00009e5b 00009e5b | "$B/ventus" dis --pc 0x80000144
words 00000013 00008067 02000e93 | "$B/ventus" dis
words 00000013 00008067 02000e93 | "$B/ventus" dis --raw
words 80602173 c2202573 | "$B/ventus" dis
words 80602173 c2202573 | "$B/ventus" dis --csr-names
words ffffffff 0 | "$B/ventus" dis
words 0000000000000013 | "$B/ventus" dis
words 00000000 | "$B/ventus" dis --isa v2025
words '' '# nothing' '; nothing' 13 | "$B/ventus" dis | cat -A
printf 13 | "$B/ventus" dis
printf '0X13\n8: 13\n8:0x13\n8:\t13 # x\n13 ;x\n13:\r\n 13\t;\n\t0000000000000013\r\n' | "$B/ventus" dis

# out:
# j 44
# bnez a4, -16
# .word 0x80000144
# j 44
# vbne v0, v1, 0x80000160
# nop
# vmv.v.x v1, zero
# vbne v0, v1, 0x80000160
# vbne v0, v1, 0x80000164
# nop
# ret
# li t4, 32
# addi zero, zero, 0
# jalr zero, 0(ra)
# addi t4, zero, 32
# csrr sp, 2054
# csrr a0, vlenb
# csrr sp, lds
# csrr a0, vlenb
# .word 0xffffffff
# .word 0x00000000
# nop
# .word 0x00000000
# $
# $
# $
# nop$
# nop
# nop
# nop
# nop
# nop
# nop
# nop
# nop
# nop
# end
