#!/bin/sh
# gdb_test.sh -- Debian's gdb-multiarch, without plug-ins, leads kernels: breakpoints by line and
# condition, steps of a lane through divided warps, registers, watchpoints, the way back, faults,
# `monitor`, several launches.
B=${B:-build}
command -v gdb-multiarch >/dev/null || { echo "no gdb-multiarch"; exit 77; }
[ -e "$B/ventus-cc1" ] || { echo "no compiler"; exit 77; }
case $B in /*) ;; *) B=$PWD/$B ;; esac
SOURCE=$PWD
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
cd "$t" || exit 1
unset VENTUS_ENGINE VENTUS_BACKEND VENTUS_MACHINE NUM_THREAD NUM_WARP

cat >k.cl <<'END'
kernel void k(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int sum = in[i];
    if (i & 1) {
        for (int j = 0; j < i; j++)
            sum += in[(sum + j) & 15];
        out[i] = sum;
    } else {
        out[i] = -i;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] += n;
}
END

# session COMMAND...: runs the command with --gdb and gdb by the commands on stdin; `log` is what
# gdb said, `out` what the command said
session() {
    cat >commands
    rm -f sock
    if [ "$VENTUS_GDB" ]; then
        timeout 60 "$@" >out 2>&1 &
    else
        timeout 60 "$@" --gdb="$t/sock" >out 2>&1 &
    fi
    pid=$!
    while [ ! -S sock ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
    timeout 60 gdb-multiarch -nx -batch -ex 'set pagination off' -ex "target remote $t/sock" \
        -x commands >log 2>&1
    wait $pid
    status=$?
    [ ! -S sock ] || { echo "the socket is left"; bad=1; }
}
# said TEXT...: the log has these lines, or parts of lines, in this order
said() {
    from=1
    for text; do
        n=$((n + 1))
        at=$(tail -n +$from log | grep -n -m1 -F -e "$text" | cut -d: -f1)
        if [ ! "$at" ]; then
            echo "gdb did not say: $text"
            sed 's/^/    /' log
            bad=1
            return
        fi
        from=$((from + at))
    done
}
is() { # WANT GOT
    n=$((n + 1))
    [ "$1" = "$2" ] || { echo "wanted: $1"; echo "got:    $2"; bad=1; }
}
run="$B/ventus run -k k -g 16 -l 8 --threads 4 -a buf:i32:16>-:0:4 -a buf:i32:16=iota -a i32:100 k.cl"
want='arg0[0..3]: 100 102 98 128'

# what is there at the start, lines, lanes
session $run <<'END'
info threads
break k
continue
print $v0
print $row0
info registers mask lane gl_id_x pc
backtrace
delete
break k.cl:13
continue
thread 2
print $gl_id_x
monitor where
monitor groups
monitor warps
monitor occupancy
monitor disassemble 1
monitor nonsense
END
said '1    Thread 1 (group 0,0,0 warp 0 lane 0, global 0,0,0)' \
    '8    Thread 8 (group 0,0,0 warp 1 lane 3, global 7,0,0)' \
    'Thread 1 hit Breakpoint 1, k' '$2 = {0, 1, 2, 3}' 'mask           0xf' '#0  k' \
    'hit Breakpoint 2, k' 'out[i] += n;' '$3 = 1' 'group 0,0,0 warp 0 lane 1, global 1,0,0' 'k.cl:13' \
    'k: 2x1x1 groups of 2 warps of 4 lanes; group 0,0,0 runs' '* 0 xxxx ready' '  1 xxxx' \
    'an SM holds' '=> 0x8000' "no command 'nonsense'"
is "$want" "$(grep arg0 out)"
is 0 $status

# a divided warp: a step follows its lane, whichever side that is on
session $run <<'END'
break k.cl:7
continue
info threads
print $active
monitor stack
thread 1
print $active
stepi
print $active
print $mask
END
said 'hit Breakpoint 1' 'sum += in' '(group 0,0,0 warp 0 lane 0, global 0,0,0, inactive)' \
    '(group 0,0,0 warp 0 lane 1, global 1,0,0)' '$1 = 1' 'goes on at' '$2 = 0' '$3 = 1'
is "$want" "$(grep arg0 out)"

# by TCP, at any port that is free, which the command says
rm out # what the command before said
timeout 60 $run --gdb=0 >out 2>&1 &
pid=$!
while ! grep -q 'target remote ' out && kill -0 $pid 2>/dev/null; do sleep 0.02; done
address=$(sed -n "s/^.*target remote \([0-9.:]*\).*/\1/p" out)
timeout 60 gdb-multiarch -nx -batch -ex 'set pagination off' -ex "target remote $address" -ex 'info threads' -ex continue \
    >log 2>&1
wait $pid
is 0 $?
said '8    Thread 8 (group 0,0,0 warp 1 lane 3, global 7,0,0)'
is "$want" "$(grep arg0 out)"

# conditions, for any lane; registers written; the end
session $run <<'END'
break k.cl:13 if $gl_id_x == 10
continue
print $gl_id_x
print $warp
print $group
set var $v63 = 1234
print $v63
print $row63
continue
END
said 'Thread 3 hit Breakpoint 1' '$1 = 10' '$2 = 0' '$3 = 1' '$4 = 1234' '{0, 0, 1234, 0}' 'exited normally'
is "$want" "$(grep arg0 out)"

# a smaller last group, which is a launch of its own, has the numbers of the grid
session "$B/ventus" run -k k -B -cl-std=CL3.0 -g 14 -l 4 --threads 4 -a buf:i32:16 -a buf:i32:16=iota -a i32:100 k.cl <<'END'
break k.cl:13 if $gl_id_x == 13
continue
monitor where
monitor groups
print $group
END
said 'group 3,0,0 warp 0 lane 1, global 13,0,0' \
    'k: 4x1x1 groups, in parts of one size; this one has 1x1x1 from 3,0,0 on, of 1 warps of 4 lanes; group 3,0,0 runs, 0 before' \
    '$1 = 3'

# who wrote this?
session $run <<'END'
break k.cl:13 if $gl_id_x == 3
continue
watch *(int *) 0x9000000c
print *(int *) 0x9000000c
reverse-continue
print *(int *) 0x9000000c
monitor where
reverse-continue
monitor history
delete
continue
END
said '$1 = 28' 'Old value = 28' 'New value = 0' '$2 = 0' 'warp 0 lane 3' 'in k' \
    'No more reverse-execution history' 'instruction 0 of the launch' 'exited normally'
is "$want" "$(grep arg0 out)"

# a fault stops at its place, and there is a way back from it
sed 's/out\[i\] = -i/*(global int *) (i ? 64 : 68) = i/' k.cl >fault.cl
session "$B/ventus" run -k k -g 8 -a buf:i32:16 -a buf:i32:16=iota -a i32:1 fault.cl <<'END'
continue
monitor where
reverse-stepi
reverse-stepi
stepi
continue
continue
END
said 'SIGSEGV' 'fault.cl:10' 'k' 'SIGSEGV' 'exited with code 01'
is 1 $status
is 1 "$(grep -c 'store to unmapped memory' out)"

# variables, at -O0 and behind calls
cat >v.cl <<'END'
typedef struct { int a; float b[2]; } S;

int twice(int x)
{
    int y = x + x;
    return y;
}

kernel void k(global int *out, global const int *in, int n, float4 f)
{
    int i = get_global_id(0);
    int sum = 0;
    S s = {i, {1.5f, i}};
    uchar c = 200;
    short h = -3;
    long big = 5000000000;
    for (int j = 0; j < n; j++) {
        int v = in[i + j];
        if (v & 1)
            sum += twice(v);
        else
            sum -= v;
    }
    out[i] = sum + s.a + (int)f.y + c + h + (int)big;
}
END
session "$B/ventus" run -k k -g 4 --threads 4 -B -O0 -a 'buf:i32:4>-' -a buf:i32:16=iota -a i32:5 \
    -a f32x4:1,2,3,4 v.cl <<'END'
break twice if x == 3
continue
print $lane
next
info locals
info args
backtrace
up
info locals
print f
print *in@4
print &s.b[1]
print sizeof s
down
finish
print $v0
set var sum = 1000
thread 1
print i
delete
watch sum
continue
END
said 'hit Breakpoint 1, twice (x=3)' '$1 = 3' 'y = 6' 'x = 3' '#0  twice (x=3)' \
    '#1' 'in k (out=0x90000000, in=0x90001000, n=5, f=...)' 'v = 3' 'j = 0' 'i = 3' 's = {a = 3, b = {1.5, 3}}' \
    "c = 200 '\\310'" 'h = -3' 'big = 5000000000' '$2 = {1, 2, 3, 4}' '$3 = {0, 1, 2, 3}' \
    '(float *) 0x' '$5 = 12' 'sum += twice(v)' 'Value returned is $6 = 6' '$7 = 6' '$8 = 0' 'Hardware watchpoint 2: sum' \
    'Old value = 0' 'New value = 2'

# what functions return, in lane 3, of code with and without optimisation: one word or two; what has more, and
# `ret` of assembly, shows none; an instruction later a0 is a0 again
cat >r.cl <<'END'
#define APART __attribute__((noinline))
APART float half_of(float x) { return x / 2; }
APART long big(int x) { return (long)x * 1000000007; }
APART double quarter(int x) { return x * 0.25; }
APART char letter(int x) { return 'a' + x; }
APART global int *at(global int *p, int x) { return p + x; }
APART float2 two(float x) { return (float2)(x, -x); }
APART float4 four(float x) { return (float4)(x); }
APART void none(global int *p) { p[4] = 1; }
kernel void k(global int *out)
{
    int i = get_global_id(0);
    long sum = half_of(i) + big(i) + quarter(i) + letter(i) + two(i).y + *at(out, i) + four(i).y;
    none(out);
    out[i] = sum;
}
END
functions='half_of big quarter letter two at four none'
for level in 0 2; do
    {
        echo 'thread 4'
        for f in $functions; do echo "tbreak $f if \$lane == 3"; done
        for f in $functions; do printf 'continue\nfinish\nprint $pc == $ra\n'; done
        printf 'print $a0 == $v0\nstepi\nstepi\nprint $a0 == $v0\n'
    } | session "$B/ventus" run -k k -g 4 --threads 4 -B -O$level -a 'buf:i32:5>-' r.cl
    grep -o 'Value returned is.*\|\$[0-9]* = [01]$' log | sed 's/\$[0-9]* = //' | tr '\n' ';' >returned
    is 'Value returned is 1.5;1;Value returned is 3000000021;1;Value returned is 0.75;1;'"Value returned is 100 'd'"';1;Value returned is {3, -3};1;Value returned is (int *) 0x9000000c;1;1;1;1;0;' \
        "$(cat returned)"
done

# optimised code: values in registers and constants, of inlined calls, and after loops; at line 22
# of lane 2, sum is 2 + 1 + 1 + 13 + 17 + 25.  gdb 13 answers && of OpenCL C the wrong way round.
cat >o.cl <<'END'
typedef struct { int a, b; } pair;

int weigh(int x, int y)
{
    int z = x * y;
    for (int k = 0; k < y; k++)
        z ^= x + k;
    return z;
}

kernel void k(global int *out, global const int *in, int n, float4 f)
{
    int i = get_global_id(0);
    int sum = in[i];
    long big = (long)i * 0x10000;
    pair p = {sum + 1, i};
    for (int j = 0; j < n; j++) {
        int v = in[j] * 3;
        sum += weigh(v, i);
        out[j + 8] = sum;
    }
    if (i & 1) {
        int odd = sum - p.a;
        out[i] = odd;
    } else {
        out[i] = sum + p.b + (int)big;
    }
}
END
session "$B/ventus" run -k k -g 4 --threads 4 -a 'buf:i32:16>-' -a buf:i32:16=iota -a i32:5 \
    -a f32x4:1,2,3,4 o.cl <<'END'
set language c
break o.cl:20 if v == 6 && i == 2
continue
print sum
print n
delete
break o.cl:5 if x == 9 && y == 3
continue
info locals
info args
backtrace
up
info locals
info args
delete
break o.cl:22
continue
thread 3
print i
print sum
continue
END
said 'hit Breakpoint 1' '$1 = 17' '$2 = 5' 'hit Breakpoint 2, weigh (x=9, y=3) at o.cl:5' 'x = 9' \
    'y = 3' '#0  weigh (x=9, y=3)' '#1  k (out=0x90000000, in=0x90001000, n=5, f=...) at o.cl:19' \
    'sum += weigh(v, i)' 'v = 9' 'i = 3' 'out = 0x90000000' 'n = 5' 'hit Breakpoint 3' '$3 = 2' \
    '$4 = 59' 'exited normally'
is 'arg0[0..15]: 0 -1 131133 102 0 0 0 0 6 17 44 63 106 0 0 0' "$(grep arg0 out)"

# __local variables, also of optimised code
cat >l.cl <<'END'
kernel void reverse(global int *out, global const int *in)
{
    local int tile[4];
    local int count;
    int i = get_local_id(0);
    tile[i] = in[i] * 10;
    count = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[count - 1 - i];
}
END
reverse="$B/ventus run -k reverse -g 4 --threads 4 -a buf:i32:4>- -a buf:i32:4=iota"
session $reverse -B -O0 l.cl <<'END'
break l.cl:9
continue
print tile
print count
set var tile[3] = 77
continue
END
said '$1 = {0, 10, 20, 30}' '$2 = 4'
is 'arg0[0..3]: 77 20 10 0' "$(grep arg0 out)"
session $reverse l.cl <<'END'
break l.cl:9
continue
print tile
print &tile[1]
END
said '$1 = {0, 10, 20, 30}' '$2 = (int *) 0x7'

# the machine interface, by which editors lead gdb: what the adapter of VS Code asks at a stop
cat >editor <<'END'
1-gdb-set pagination off
2-break-insert -f l.cl:9
3-exec-continue
4-thread-info
5-stack-list-frames --thread 2
6-stack-list-variables --thread 2 --frame 0 --simple-values
7-var-create --thread 2 --frame 0 v * tile
8-var-list-children --all-values v 0 4
9-data-evaluate-expression --thread 2 --frame 0 "tile[i]"
10-break-delete
11-exec-continue
12-gdb-exit
END
rm -f sock
timeout 60 $reverse -B -O0 --gdb="$t/sock" l.cl >out 2>&1 &
pid=$!
while [ ! -S sock ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
timeout 60 gdb-multiarch -nx -q -i=mi -ex "target remote $t/sock" <editor >log 2>&1
wait $pid
said '2^done,bkpt={number="1"' '*stopped,reason="breakpoint-hit"' \
    '4^done,threads=[{id="1",target-id="Thread 1",details="group 0,0,0 warp 0 lane 0' \
    '5^done,stack=[frame={level="0"' '{name="i",type="int",value="1"}' '7^done,name="v",numchild="4"' \
    'exp="3",numchild="0",value="30"' '9^done,value="10"' '*stopped,reason="exited-normally"'
is 'arg0[0..3]: 30 20 10 0' "$(grep arg0 out)"

# the session of doc/debugging.md, line by line
awk '/^## With gdb/ { on = 1; next } /^## / { on = 0 } on' "$SOURCE/doc/debugging.md" >doc
sed -n '/^    kernel void sum/,/^    }/s/^    //p' doc >sum.cl
sed -n 's/^    (gdb) //p' doc >doc.commands
sed -n '/^    (gdb)/,/^$/p' doc | grep -v '(gdb)' | sed 's/^    //; /^$/d; s/^Breakpoint .* at 0x[0-9a-f]*: //' >doc.answers
options=$(sed -n 's/^    \$ ventus run --gdb //p' doc)
eval "session '$B/ventus' run --threads 4 $options" <doc.commands
while IFS= read -r answer; do
    set -- "$@" "$answer"
done <doc.answers
said "$@"
is 1 "$(grep -c '0 1 3 3' out)"

# several launches on one device
session "$B/ventus" run -k k -g 16 -l 8 --threads 4 -a buf:i32:16 -a buf:i32:16=iota -a i32:1 \
    --export-replay r k.cl <<'END'
continue
END
session "$B/ventus" replay r/k_0.metadata r/k_0.data r/k_0.metadata r/k_0.data <<'END'
break *0x80000000
continue
detach
END
said 'Breakpoint 1, 0x80000000' 'detached'
is 0 $status

# variables of narrow types, of optimised code: what a register has beyond them does not count
cat >narrow.cl <<'END'
kernel void narrow(global int *out, global const uchar *c)
{
    int i = get_global_id(0);
    bool less = out[i] < 40;
    uchar low = (uchar)out[i + 4];
    char sign = (char)out[i + 4];
    short wide = c[i];
    int copy = sign;
    out[8] = less + low;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = less ? low * copy : wide;
    out[i + 4] = wide - less;
}
END
session "$B/ventus" run -k narrow -g 4 -l 4 -a buf:i32:12=39,40,-7,90,511,4736,127,-2 -a buf:u8:4=200,1,2,255 narrow.cl <<'END'
break 10
continue
thread 1
print less
print (int)low
print (int)sign
print wide
print copy
thread 4
print less
print (int)low
print (int)sign
print wide
print copy
thread 2
print (int)sign
print copy
kill
END
said '$1 = true' '$2 = 255' '$3 = -1' '$4 = 200' '$5 = -1' '$6 = false' '$7 = 254' '$8 = -2' '$9 = 255' '$10 = -2' \
    '$11 = -128' '$12 = -128'

# a program on the OpenCL runtime
if [ -e "$B/examples/vecadd" ]; then
    export OCL_ICD_VENDORS="$B/ventus.icd" VENTUS_GDB="$t/sock"
    session "$B/examples/vecadd" <<'END'
break vecadd
continue
info registers mask
delete
continue
END
    unset VENTUS_GDB
    said 'hit Breakpoint 1' 'mask           0x' 'exited normally'
    is 0 $status
fi

# what cannot be
$run --gdb=/nonexistent/socket >out 2>&1
is 2 $?
is 1 "$(grep -c 'gdb cannot be waited for at /nonexistent/socket: No such file' out)"
$run --gdb="$t/$(printf '%0200d' 0)" >out 2>&1
is 2 $?
is 1 "$(grep -c 'File name too long' out)"
$run --gdb=65536 >out 2>&1
is 2 $?
is 1 "$(grep -c 'gdb cannot be waited for at 65536: Numerical result out of range' out)"
[ $bad = 0 ] || exit 1
echo "$n answers"
