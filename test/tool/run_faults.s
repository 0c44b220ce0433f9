# A kernel that faults: a report on stderr, status 1, and no results.  A machine that
# cannot hold the group: status 2.
# run: %b/ventus run %s -k wild -a 'buf:i32:1>-' >%t.1 2>&1 || echo status $?
# run: sed 's,0x8000[0-9a-f]* <,<,' %t.1
# run: %b/ventus run %s -k endless --max-insns 1000 >%t.1 2>&1 || echo status $?
# run: head -n 1 %t.1 | sed 's,.*error,error,'
# run: %b/ventus run %s -k endless --timeout 0.05 >%t.1 2>&1 || echo status $?
# run: head -n 1 %t.1 | sed 's,.*error,error,'
# run: %b/ventus run %s -k nothing -g 4096 -l 4096 || echo status $?
# run: %b/ventus run %s -k nothing -a local:4096 --machine documents -g 32 && echo fits
# run: %b/ventus run %s -k nothing -a local:200000 --machine documents -g 32 || echo status $?

	.text
	.kernel wild
wild:
	li      t2, 0x100
	sw      t2, 0(t2)
	ret
	.kernel endless
endless:
	j       endless
	.kernel nothing
nothing:
	ret

# out:
# status 1
# test/tool/run_faults.s: error: the kernel faulted: store to unmapped memory: 0x00000100 (4 bytes)
#   at          test/tool/run_faults.s:17:2
#               sw      t2, 0(t2)
#               ^
#   address     next to the null pointer
#   kernel      wild
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   group       (0, 0, 0)
#   warp        0
#   active      0x00000001
#   pc          <wild+0x4>
#   instruction 0073a023  sw t2, 0(t2)
# status 1
# error: the kernel faulted: instruction limit reached
# status 1
# error: the kernel faulted: time limit reached
# test/tool/run_faults.s: error: the sizes of the launch cannot be: a work-group of more than 2048 work-items, the most that machine 'default' takes
# status 2
# fits
# test/tool/run_faults.s: error: a work-group needs more registers or local memory than the machine has: a work-group of nothing needs 201024 bytes of local memory, machine 'documents' has 131072
# status 2
# end
