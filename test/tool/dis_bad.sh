# A line that is not hexadecimal is reported, gives an empty line, and the others are done.
# run: printf '13\nx\n8067\n80000000 g\n1 2 3\n12345678123456781\n0x\n-1\n13\n' | %b/ventus dis
# exit: 2

# out:
# <stdin>:2:1: error: expected a word in hexadecimal
#     x
# <stdin>:4:10: error: expected a word in hexadecimal, or an address and a word
#     80000000 g
# <stdin>:5:3: error: expected a word in hexadecimal, or an address and a word
#     1 2 3
# <stdin>:6:1: error: expected a word in hexadecimal
#     12345678123456781
# <stdin>:7:1: error: expected a word in hexadecimal
#     0x
# <stdin>:8:1: error: expected a word in hexadecimal
#     -1
# nop
#
# ret
#
#
#
#
#
# nop
# end
