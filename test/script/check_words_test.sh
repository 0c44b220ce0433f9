#!/bin/sh
# What a report of --check says, and that of a fault: the place with a caret, the calls that were
# inlined, the other side of a race, where a value that nobody wrote came from, what the address is
# nearest to, the work-item with its global and local id, group, warp and lane.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
bad=0 lines=0

cat >"$T/words.cl" <<'END'
int pick(local const int *t, int i)
{
    return t[i];
}

int far(local const int *t, int i)
{
    return pick(t, i ^ 1);
}

kernel void race(global int *out, local int *t)
{
    t[get_local_id(0)] = 1 + get_local_id(0);
    out[get_global_id(0)] = far(t, get_local_id(0));
}

kernel void beyond(global int *out, int n)
{
    out[get_global_id(0) + n] = 1;
}

kernel void hole(global int *out, global const int *in, local int *t)
{
    int x = in[get_global_id(0)];
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[get_local_id(0)] * 3 > 5)
        out[get_global_id(0)] = x;
}

kernel void across(global char *out)
{
    *(global int *)(out + 29 + get_global_id(0)) = 1;
}

int lost(global const int *p, uint i)
{
    return p[i];
}

kernel void fault(global int *out, uint n)
{
    out[get_global_id(0)] = lost(out, get_global_id(0) * n);
}

kernel void copy(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in, get_local_size(0), 0);
    out[get_global_id(0)] = t[get_local_id(0)];
    wait_group_events(1, &e);
}

kernel void parts(global int *out, int x, int y)
{
    int i = get_global_id(0) - get_global_offset(0), j = get_global_id(1) - get_global_offset(1);
    if ((i == x && j == y) || (i == 1 && j == 2))
        out[0] = i + 8 * j;
}

struct large { int x[40]; int y; };

int third(const struct large *l)
{
    return l->x[3];
}

kernel void large(global int *out, int n)
{
    int all[32], sum;
    struct large l;
    all[n & 7] = n;
    out[0] = all[(n & 7) + 1];
    if (n == 3)
        sum = 4;
    out[1] = sum;
    l.x[n & 1] = n;
    if (third(&l) > 3)
        out[2] = l.x[0];
}
END

# Each line given must come in the report, in this order; the file is called by its name alone.
expect() { # KERNEL, OPTIONS...; lines on stdin
    "$B/ventus" run --threads 32 --check-json="$T/json" -k "$@" "$T/words.cl" 2>&1 | sed "s:$T/::" >"$T/out"
    cp "$T/out" "$T/rest"
    while IFS= read -r line; do
        lines=$((lines + 1))
        at=$(grep -nF -- "$line" "$T/rest" | head -1 | cut -d: -f1)
        if [ -z "$at" ]; then
            echo "$1: no '$line', or not there"
            cat "$T/out"
            bad=1
            return
        fi
        sed "1,${at}d" "$T/rest" >"$T/more"
        mv "$T/more" "$T/rest"
    done
}

expect race --check -g 128 -l 64 -a buf:i32:128 -a local:256 <<'END'
words.cl:3:12: error: race: load of 4 bytes at byte 4 of argument 1, 't', which has 256, and the store of another work-item, in no order
  at          words.cl:3:12 in pick
              return t[i];
                     ^
  called at   words.cl:8:12 in far
              return pick(t, i ^ 1);
                     ^
  called at   words.cl:14:29 in race
              out[get_global_id(0)] = far(t, get_local_id(0));
                                      ^
  store       words.cl:13:24 in race
              t[get_local_id(0)] = 1 + get_local_id(0);
                                 ^
  by          (1, 0, 0), in its group (1, 0, 0); group (0, 0, 0)
  kernel      race
  work-item   (0, 0, 0), in its group (0, 0, 0)
  group       (0, 0, 0)
  warp        0
  lane        0
  seen        128 times
END
# the second group, ids from 10 on, of which the last 11 are beyond the end
expect beyond --check -g 64 -l 32 -G 10 -a buf:i32:64 -a i32:1 <<'END'
words.cl:19:31: error: bounds: store of 4 bytes right behind the end of argument 0, 'out', which has 256
                                        ^
  work-item   (63, 0, 0), in its group (21, 0, 0)
  group       (1, 0, 0)
  warp        0
  lane        21
  seen        11 times
END
expect beyond --check -g 64 -l 64 -a buf:i32:32 -a i32:3 <<'END'
words.cl:19:31: error: bounds: store of 4 bytes right behind the end of argument 0, 'out', which has 128
  work-item   (29, 0, 0), in its group (29, 0, 0)
  lane        29
END
expect beyond --check -g 1 -l 1 -a buf:i32:8 -a i32:10 <<'END'
words.cl:19:31: error: bounds: store of 4 bytes 8 bytes behind the end of argument 0, 'out', which has 32
  work-item   (0, 0, 0), in its group (0, 0, 0)
END
# the value was copied on its way; the line is where it was read first
expect hole --check -g 64 -l 64 -a buf:i32:64 -a buf:i32:64=none -a local:256 <<'END'
words.cl:27:9: error: init: branch on a value that nobody wrote
  loaded      words.cl:24:13 in hole
              int x = in[get_global_id(0)];
                      ^
  from        at byte 0 of argument 1, 'in', which has 256
  work-item   (0, 0, 0), in its group (0, 0, 0)
END
expect across --check=bounds -g 1 -l 1 -a buf:i8:32 <<'END'
words.cl:33:50: error: bounds: store of 4 bytes that end 1 past the end of argument 0, 'out', which has 32
END
# groups of 2x2 and of 4x1 at the sides of a grid of groups of 4x2
expect parts --check=race -B -cl-std=CL3.0 -g 6,3 -l 4,2 -G 100,7 -a buf:i32:1 -a i32:4 -a i32:1 <<'END'
words.cl:57:16: error: race: store of 4 bytes at byte 0 of argument 0, 'out', which has 4, and the store of another work-item in another group, in no order
  by          (104, 8, 0), in its group (0, 1, 0); group (1, 0, 0)
  work-item   (101, 9, 0), in its group (1, 0, 0)
  group       (0, 1, 0)
END
# all groups smaller than asked for
expect parts --check=race -B -cl-std=CL3.0 -g 2,3 -l 4,2 -a buf:i32:1 -a i32:0 -a i32:1 <<'END'
  by          (0, 1, 0), in its group (0, 1, 0); group (0, 0, 0)
  work-item   (1, 2, 0), in its group (1, 0, 0)
  group       (0, 1, 0)
END
# variables that are large, and without optimisation
for level in '' -cl-opt-disable; do
expect large --check=init -B "-cl-std=CL3.0 $level" -g 1 -l 1 -a buf:i32:4 -a i32:30 <<'END'
words.cl:72:12: error: init: store of a value that nobody wrote, into global memory
  loaded      words.cl:72:14 in large
  from        byte 28 of private variable 'all', which has 128
words.cl:75:12: error: init: store of a value that nobody wrote, into global memory
  from        private variable 'sum'
words.cl:77:9: error: init: branch on a value that nobody wrote
  loaded      words.cl:64:12 in third
  from        byte 12 of private variable 'l', which has 164
END
done
expect copy --check -g 64 -l 64 -a buf:i32:64 -a buf:i32:64 -a local:256 <<'END'
words.cl:49:29: error: race: load of 4 bytes at byte 0 of argument 2, 't', which has 256, and the store of an asynchronous copy, in no order
  at          words.cl:49:29 in copy
  store       words.cl:48:17 in copy
END
for field in '"version": 1' '"more": false' '"check": "race"' '"count": 64' '"kernel": "copy"' '"line": 49' '"column": 29' \
    '"text": "race: load of 4 bytes'; do
    lines=$((lines + 1))
    [ "$(grep -cF "$field" "$T/json")" = 1 ] && continue
    echo "not once in the JSON: $field"
    bad=1
done
expect fault -g 128 -l 64 -a buf:i32:128 -a u32:10000000 <<'END'
words.cl: error: the kernel faulted: load from unmapped memory: 0x92625a00 (4 bytes)
  at          words.cl:38:12 in lost
              return p[i];
                     ^
  called at   words.cl:43:29 in fault
              out[get_global_id(0)] = lost(out, get_global_id(0) * n);
                                      ^
  address     39999488 bytes past the end of argument 0, 'out' (512 bytes)
  kernel      fault
  work-item   (1, 0, 0), in its group (1, 0, 0)
  group       (0, 0, 0)
  warp        0
  lane        1
END
[ $bad = 0 ] && echo "$lines lines of reports"
exit $bad
