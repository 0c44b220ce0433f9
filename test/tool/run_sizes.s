# The index space: a group that was not asked for fits the machine, and -v
# tells how many groups and warps there were.
# run: for g in 1 7 32 100 4096 1000,2 8,8,8; do %b/ventus run %s -v --threads 32 --warps 4 -g $g 2>&1 | sed '/ in host code, /d; s, warps.*,,'; done
# run: %b/ventus run %s -v --threads 8 -l 16 2>&1 | sed '/ in host code, /d; s, warps.*,,'
# run: %b/ventus run %s -v --threads 8 -l 16 -g 64 2>&1 | sed '/ in host code, /d; s, warps.*,,'
# run: NUM_THREAD=4 NUM_WARP=2 %b/ventus run %s -v -g 64 2>&1 | sed '/ in host code, /d; s, warps.*,,'

	.text
	.kernel nothing
nothing:
	ret

# out:
# nothing: 1 groups of 1
# nothing: 1 groups of 1
# nothing: 1 groups of 1
# nothing: 1 groups of 4
# nothing: 32 groups of 4
# nothing: 16 groups of 4
# nothing: 4 groups of 4
# nothing: 1 groups of 2
# nothing: 4 groups of 2
# nothing: 8 groups of 2
# end
