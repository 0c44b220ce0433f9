# Where the columns of a listing do not fit together.
# run: %b/ventus as %s -o %t.o
# exit: 2

80000000 <f>:
80000000: 00000013  nop
80000008: 00000013  nop
8000000c: 00000013  addi a0, a0, 1
80000010: 00000013  unknown a0
80000014: 00000013  li a0, 0x12345678
80000018: 00000013  vadd.vv v40, v1, v2
8000001c: 00000013  .include "x"

# out:
# test/asm/listing_bad.s:7:1: error: this is at 0x80000004, not 0x80000008
#     80000008: 00000013  nop
#     ^
# test/asm/listing_bad.s:9:21: warning: no instruction 'unknown'
#     80000010: 00000013  unknown a0
#                         ^
# test/asm/listing_bad.s:10:21: error: this takes 8 bytes; the listing has 4
#     80000014: 00000013  li a0, 0x12345678
#                         ^
# test/asm/listing_bad.s:11:21: error: this takes 8 bytes; the listing has 4
#     80000018: 00000013  vadd.vv v40, v1, v2
#                         ^
# test/asm/listing_bad.s:12:21: warning: '.include' cannot be in a line of a listing
#     8000001c: 00000013  .include "x"
#                         ^
# end
