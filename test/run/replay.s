# A launch written as .metadata and .data, the files that users of the RTL and of other
# simulators exchange, gives the same buffers when it is replayed.  (A replayed buffer is
# whole pages, so its first 256 bytes are compared.)
# on: interp jit timing
# run: mkdir -p %t.d %t.run %t.replay
# run: %b/ventus run --engine %e --threads 8 -k square -g 64 -l 16 --export-replay %t.d --dump-buffers %t.run -a buf:i32:64=iota -a 'buf:i32:64>-:0:16' %s
# run: ls %t.d
# run: rm %t.d/*
# run: VENTUS_EXPORT_REPLAY=%t.d %b/ventus run --engine %e --threads 8 -k square -g 64 -l 16 -a buf:i32:64=iota -a buf:i32:64 %s
# run: ls %t.d
# run: %b/ventus replay --engine %e --threads 8 --dump-buffers %t.replay %t.d/square_0.metadata %t.d/square_0.data
# run: cmp -n 256 %t.run/arg0.bin %t.replay/0-90000000.bin
# run: cmp -n 256 %t.run/arg1.bin %t.replay/0-90001000.bin

	.include "kernel.inc"
	.text
	.kernel square
square:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	global_id v2
	word_at v3, a1, v2
	vlw12.v v3, 0(v3)
	vmul.vv v3, v3, v3
	word_at v4, a2, v2
	vsw12.v v3, 0(v4)
	ret

# out:
# arg1[0..15]: 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225
# square_0.data
# square_0.metadata
# square_0.data
# square_0.metadata
# end
