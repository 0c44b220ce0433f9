#!/bin/sh
# What is meant so by a file (--check-allow, VENTUS_CHECK_ALLOW), and what is said of a file that is
# wrong; and that a program with thousands of mistakes gets a bounded report.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
bad=0 runs=0

cat >"$T/sum.cl" <<'END'
int neighbour(local const int *t, int i)
{
    return t[i ^ 1];
}

kernel void sum(global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    out[get_global_id(0)] = neighbour(t, l);
}
END

complain() {
    echo "$1"
    cat "$T/out"
    bad=1
}

# a race, and nothing else
run() {
    runs=$((runs + 1))
    "$B/ventus" run --check "$@" -g 64 -l 64 -a buf:i32:64 -a local:256 "$T/sum.cl" >"$T/out" 2>&1
}

while read -r status rules; do
    printf '%b\n' "$rules" >"$T/rules"
    run --check-allow="$T/rules"
    [ $? = "$status" ] || complain "'$rules': status is not $status"
done <<'END'
1 # nothing
0 race sum.cl
0 race sum.cl:3
0 race sum.cl:9
0 race sum.cl:1-4
0 all sum.cl:2-3   # both
0 bounds,race  sum.cl
0 \n  # a comment\n\trace sum.cl\r\nbounds other.cl
0 race function neighbour
0 race kernel sum
1 bounds sum.cl
1 race um.cl
1 race sum.cl:4-8
1 race sum.cl:11
1 race function main
1 race kernel summ
END

# status 2, and the place
while IFS='|' read -r rules message; do
    printf '%b\n' "$rules" >"$T/rules"
    run --check-allow="$T/rules"
    status=$?
    { [ $status != 0 ] && grep -qF "rules:$message" "$T/out" && ! grep -q 'mistake' "$T/out"; } ||
        complain "'$rules': status $status, no '$message'"
done <<'END'
race|1:5: error: a place is missing
race kernel|1:12: error: a place is missing
# one\nrce sum.cl|2:1: error: 'rce' is no check
race sum.cl:x|1:13: error: this should be a line
race sum.cl:0|1:13: error: this should be a line
race sum.cl:7-3|1:13: error: this should be a line
race sum.cl:99999999999999999999|1:13: error: this should be a line
race sum.cl and more|1:13: error: nothing should follow
END
run --check-allow="$T/none" && complain 'a file that is missing'
grep -q 'cannot read .*none: No such file' "$T/out" || complain 'not said that the file is missing'

# comments: on the line of one side, above it, or where it was inlined; they name the check
cat >"$T/comments.cl" <<'END'
int same(local const int *t, int i) { return t[i ^ 1]; }
int meant(local const int *t, int i) { return t[i ^ 1]; /* ventus: allow race */ }
#define BEGIN int l = get_local_id(0); global int *o = out + get_global_id(0)
kernel void allow_line(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    *o = t[l ^ 1]; /* ventus: allow race */
}
kernel void allow_above(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    /* as it comes; ventus: allow bounds, race */
    *o = t[l ^ 1];
}
kernel void report_two_above(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    // ventus: allow race

    *o = t[l ^ 1];
}
kernel void report_below(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;

    *o = t[l ^ 1];
    // ventus: allow race
}
kernel void report_others(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    *o = t[l ^ 1]; // ventus: allow bounds, init, races, rac, Race

}
kernel void report_other_mark(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    *o = t[l ^ 1]; // allow race; ventus: race
}
kernel void allow_other_side(global int *out, local int *t)
{
    BEGIN;
    t[l] = l; // ventus: allow race

    *o = t[l ^ 1];
}
kernel void allow_callee(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    *o = meant(t, l);
}
kernel void allow_call(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;
    // ventus: allow race
    *o = same(t, l);
}
kernel void report_call(global int *out, local int *t)
{
    BEGIN;
    t[l] = l;

    *o = same(t, l);
}
END
for kernel in $(sed -n 's/^kernel void \([a-z_]*\).*/\1/p' "$T/comments.cl"); do
    runs=$((runs + 1))
    "$B/ventus" run --check=race -k "$kernel" -g 64 -l 64 -a buf:i32:64 -a local:256 "$T/comments.cl" >"$T/out" 2>&1
    case $kernel:$? in allow*:0 | report*:1) ;; *) complain "$kernel with comments" ;; esac
done

# many causes
awk 'BEGIN {
    print "kernel void many(global volatile int *out)\n{"
    for (i = 0; i < 3000; i++) print "    out[" i " + get_global_size(0)] = " i ";"
    print "}"
}' >"$T/many.cl"
runs=$((runs + 1))
"$B/ventus" run --check=bounds --check-json="$T/json" -g 64 -l 64 -a buf:i32:64 "$T/many.cl" >"$T/out" 2>&1 &&
    complain 'many mistakes, but status 0'
grep -q '^100 mistakes found: 100 bounds; there are more$' "$T/out" || complain 'no summary of many'
[ "$(grep -c ': error: ' "$T/out")" = 100 ] && [ "$(grep -c '"check":' "$T/json")" = 100 ] &&
    grep -q '"more": true' "$T/json" || complain 'not 100 of many'

[ $bad = 0 ] && echo "$runs runs with --check-allow and with many mistakes"
exit $bad
