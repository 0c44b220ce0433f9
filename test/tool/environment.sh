# Variables take the place of options, and options win.
# run: NUM_THREAD=8 NUM_WARP=2 VENTUS_SMS=5 VENTUS_ISA=v2025 %b/ventus run no/such/file --threads 16 || true
# run: echo 00000000 00000000 | VENTUS_ISA=v2025 %b/ventus dis --isa v202
# run: echo 4 | VENTUS_ISA=v2025 %b/ventus dis
# run: echo 4 | VENTUS_ISA=v202 %b/ventus dis
# run: VENTUS_LANE=base VENTUS_OF_OTHERS=1 true && echo 4 | VENTUS_LANE=base VENTUS_OF_OTHERS=1 %b/ventus dis
# run: echo 4 | VENTUS_LANES=sse %b/ventus dis || echo status $?
# run: echo 4 | VENTUS_TIMEOUT=5s VENTUS_DEVICES=17 %b/ventus dis || echo status $?
# run: echo 4 | VENTUS_TIMEOUT=0.5 VENTUS_DEVICES=16 %b/ventus dis
# run: echo 4 | VENTUS_LANES=avx2 VENTUS_MMU= %b/ventus dis
# run: unset VENTUS_ENGINE; VENTUS_BACKEND=none %b/ventus run no/such/file || echo status $?
# run: VENTUS_ENGINE=interp VENTUS_BACKEND=none %b/ventus run no/such/file || echo status $?

# out:
# no/such/file: error: No such file or directory
# .word 0x00000000
# .dword 0x0000000000000004
# .word 0x00000004
# warning: nothing reads the variable VENTUS_LANE; did you mean VENTUS_LANES?
# .word 0x00000004
# error: VENTUS_LANES: 'sse' is not one of: base avx2 avx512
# status 2
# error: VENTUS_DEVICES: '17' is not a number from 1 to 16
# error: VENTUS_TIMEOUT: '5s' is not a number of seconds
# status 2
# .word 0x00000004
# .word 0x00000004
# ventus: error: VENTUS_BACKEND: no engine 'none' is built in
# status 2
# no/such/file: error: No such file or directory
# status 2
# end
