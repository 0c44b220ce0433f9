# Variables take the place of options, and options win.
# run: NUM_THREAD=8 NUM_WARP=2 VENTUS_SMS=5 VENTUS_ISA=v2025 %b/ventus run no/such/file --threads 16 || true
# run: echo 00000000 00000000 | VENTUS_ISA=v2025 %b/ventus dis --isa v202
# run: echo 4 | VENTUS_ISA=v2025 %b/ventus dis
# run: echo 4 | VENTUS_ISA=v202 %b/ventus dis

# out:
# no/such/file: error: No such file or directory
# .word 0x00000000
# .dword 0x0000000000000004
# .word 0x00000004
# end
