# Breadth-first search, a launch a level: a node of the current level gives the next
# level to its neighbours that have none.  The shell is the host program here; it passes
# the levels from launch to launch in a file and stops when a launch changed nothing.
#
#     0 - 1 - 3          10 - 11       levels from 0:  0 1 1 2 2 2 3 3 3 4, and -1 for
#     |   |   |                        10 and 11, which cannot be reached.  Level 4 is
#     2 - 4 - 6 - 9                    given in the fourth launch, the fifth changes
#     |    \     /                     nothing.
#     5 - 8  7 -
#
# Nodes have different numbers of neighbours: lanes leave the loop one after another.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   levels=0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1 depth=0 more=1
# run:   while [ $more != 0 ]; do
# run:     %b/ventus run --engine %e --threads $n -k bfs -g 16 -l 16 -a i32:12 -a buf:i32:13=0,2,5,8,10,14,16,19,21,22,24,25,26 -a buf:i32:26=1,2,0,3,4,0,4,5,1,6,1,2,6,7,2,8,3,4,9,4,9,5,6,7,11,10 -a "buf:i32:12=$levels>%t.levels" -a i32:$depth -a "buf:i32:1=0>%t.more" %s
# run:     more=$(od -An -td4 %t.more | tr -d ' ')
# run:     levels=@%t.levels depth=$((depth + 1))
# run:   done
# run:   echo $n lanes, $depth launches: $(od -An -td4 -v %t.levels)
# run: done

	.include "kernel.inc"
	.text
	.kernel bfs
bfs:
	lw      a1, 0(a0)               # nodes
	lw      a2, 4(a0)               # first[i]: where the neighbours of i begin
	lw      a3, 8(a0)               # neighbours
	lw      a4, 12(a0)              # levels, -1: none yet
	lw      a5, 16(a0)              # the current level
	lw      a6, 20(a0)              # set to 1 when something changed
	addi    a7, a5, 1
	global_id v2
	vmv.v.i v0, 0
	vmv.v.x v3, a1
	branch  geu, v2, v3, .Lend, .Lend
	word_at v4, a4, v2
	vlw12.v v4, 0(v4)
	vmv.v.x v5, a5
	branch  ne, v4, v5, .Lend, .Lend

	vmv.v.x v6, a7                  # level of what is found
	vmv.v.i v7, 1
	vmv.v.x v8, a6
	word_at v9, a2, v2
	vlw12.v v10, 4(v9)
	vlw12.v v9, 0(v9)
	word_at v9, a3, v9              # next neighbour
	word_at v10, a3, v10            # past the last
.Lneighbour:
	branch  geu, v9, v10, .Lend, .Lend
	vlw12.v v11, 0(v9)
	word_at v11, a4, v11
	vlw12.v v12, 0(v11)
	branch  ge, v12, v0, .Lseen, .Lseen
	vsw12.v v6, 0(v11)              # two nodes may store it: the same value
	vsw12.v v7, 0(v8)
.Lseen:
	join    zero, zero, 0
	vadd.vi v9, v9, 4
	j       .Lneighbour

	# Three branches meet here: each pops its own entry of the divergence stack.
.Lend:
	join    zero, zero, 0
	ret

# out:
# 4 lanes, 5 launches: 0 1 1 2 2 2 3 3 3 4 -1 -1
# 8 lanes, 5 launches: 0 1 1 2 2 2 3 3 3 4 -1 -1
# 16 lanes, 5 launches: 0 1 1 2 2 2 3 3 3 4 -1 -1
# 32 lanes, 5 launches: 0 1 1 2 2 2 3 3 3 4 -1 -1
# end
