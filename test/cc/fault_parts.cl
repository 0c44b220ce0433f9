// A grid whose last groups are smaller runs in parts; reports name groups and work-items as the whole
// grid numbers them: of faults, of a launch that is replayed, of checks and their other side, of the
// debugger, of profiles.
// skip: ! test -e %b/ventus-cc1
// run: R="%b/ventus run --threads 4 -B -cl-std=CL3.0"; T="sed -n s/^..work-item/&/p;s/^..group/&/p"
// run: for e in interp jit timing; do
// run:   echo "$e, 1, 2, 3 dimensions, a replay"
// run:   $R --engine $e -k line -g 11 -l 4 -a buf:i32:11 -a i32:10 %s 2>&1 | $T
// run:   $R --engine $e -k plane -g 10,7 -l 4,4 -a buf:i32:70 -a i32x2:9,5 %s 2>&1 | $T
// run:   $R --engine $e -k room -g 5,6,7 -l 2,4,3 -a buf:i32:210 -a i32x3:3,5,6 %s 2>&1 | $T
// run:   rm -rf %t.x; $R --export-replay %t.x -k line -g 11 -l 4 -a buf:i32:11 -a i32:99 %s
// run:   %b/ventus replay --engine $e --max-insns 10 %t.x/line_1.metadata %t.x/line_1.data 2>&1 | $T
// run: done
// run: echo check, both sides; $R --check=race -k same -g 11 -l 4 -a buf:i32:11 %s 2>&1 | sed -n '/^  by/p;/^  work-item/p;/^  group/p'
// run: echo step; printf %200s | tr ' ' s | $R --step -k line -g 11 -l 4 -a buf:i32:11 -a i32:10 %s 2>&1 | grep -o 'group [0-9,]*  warp' | uniq
// run: echo profile; $R --engine timing --profile=%t.p -k line -g 10,7 -l 4,4 -a buf:i32:70 -a i32:99 %s; grep -o 'group [0-9]* warp 0' %t.p | sort
kernel void line(global volatile int *x, int which)
{
    const int i = get_global_id(0);
    x[i] = i;
    if (i == which)
        x[-0x8fff0000 / 4] = 1;
}

kernel void plane(global volatile int *x, int2 which)
{
    if (get_global_id(0) == which.x && get_global_id(1) == which.y)
        x[-0x8fff0000 / 4] = 1;
}

kernel void room(global volatile int *x, int3 which)
{
    if (get_global_id(0) == which.x && get_global_id(1) == which.y && get_global_id(2) == which.z)
        x[-0x8fff0000 / 4] = 1;
}

kernel void same(global volatile int *x)
{
    if (get_group_id(0) == 2)
        x[0] = get_global_id(0);
}
// out:
// interp, 1, 2, 3 dimensions, a replay
//   work-item   (10, 0, 0), in its group (2, 0, 0)
//   group       (2, 0, 0)
//   work-item   (9, 5, 0), in its group (1, 1, 0)
//   group       (2, 1, 0)
//   work-item   (3, 5, 6), in its group (1, 1, 0)
//   group       (1, 1, 2)
//   work-items  3, (8, 0, 0) to (10, 0, 0), in their group (0, 0, 0) to (2, 0, 0)
//   group       (2, 0, 0)
// jit, 1, 2, 3 dimensions, a replay
//   work-item   (10, 0, 0), in its group (2, 0, 0)
//   group       (2, 0, 0)
//   work-item   (9, 5, 0), in its group (1, 1, 0)
//   group       (2, 1, 0)
//   work-item   (3, 5, 6), in its group (1, 1, 0)
//   group       (1, 1, 2)
//   work-items  3, (8, 0, 0) to (10, 0, 0), in their group (0, 0, 0) to (2, 0, 0)
//   group       (2, 0, 0)
// timing, 1, 2, 3 dimensions, a replay
//   work-item   (10, 0, 0), in its group (2, 0, 0)
//   group       (2, 0, 0)
//   work-item   (9, 5, 0), in its group (1, 1, 0)
//   group       (2, 1, 0)
//   work-item   (3, 5, 6), in its group (1, 1, 0)
//   group       (1, 1, 2)
//   work-items  3, (8, 0, 0) to (10, 0, 0), in their group (0, 0, 0) to (2, 0, 0)
//   group       (2, 0, 0)
// check, both sides
//   by          (8, 0, 0), in its group (0, 0, 0); group (2, 0, 0)
//   work-item   (9, 0, 0), in its group (1, 0, 0)
//   group       (2, 0, 0)
// step
// group 0,0,0  warp
// group 1,0,0  warp
// profile
// group 5 warp 0
// end
