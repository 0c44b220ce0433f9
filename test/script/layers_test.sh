#!/bin/sh
# layers_test.sh -- `make layers` notices each way in which a directory may use another against layers.txt, in a
# small tree of three directories: top may use mid, mid may use low.
cd "$(dirname "$0")/../.." || exit 1
CC=${CC:-cc}
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
mkdir -p "$t/src/low" "$t/src/mid" "$t/src/top" "$t/b" "$t/host" "$t/tool" "$t/test"
cp -r test/runner "$t/test"
cd "$t" || exit 1
printf 'low:\nmid: low\ntop: mid\nall: *\n' >test/runner/layers.txt
cat >src/low/low.h <<'END'
#define LOW_TWICE(x) ((x) * 2)
typedef struct { int a; } LowThing;
typedef int LowCall(int x);
enum { LOW_LAST = 3 };
static inline int low_inline(void) { return 1; }
int low_call(void);
extern const int low_table[];
END
printf '#include "low/low.h"\nconst int low_table[1] = {1};\nint low_call(void) { return 1; }\n' >src/low/low.c
printf '#include "low/low.h"\nint mid_call(LowThing t);\n' >src/mid/mid.h
printf '#include "mid/mid.h"\nint mid_call(LowThing t) { return t.a + LOW_TWICE(LOW_LAST) + low_call(); }\n' >src/mid/mid.c

# with this src/top/top.c layers.sh must say a line that matches PATTERN, or pass where there is none
top() { # PATTERN, top.c from stdin
    n=$((n + 1))
    cat >src/top/top.c
    rm -rf b/src
    for f in src/*/*.c; do
        mkdir -p "b/${f%/*}"
        $CC -Isrc -MMD -c -o "b/${f%.c}.o" "$f" || bad=1
    done
    if B=b sh test/runner/layers.sh >out 2>&1; then
        [ ! "$1" ] && return
        echo "passes, though '$1' is to be refused"
    else
        [ "$1" ] && grep -qx "$1" out && return
        echo "not '${1:-a count}', but:"
    fi
    cat src/top/top.c out
    bad=1
}
top '' <<'END'
/* LowThing and low_call() in a comment */
#include "mid/mid.h"
const char *top(void) { return "LOW_LAST"; }
END
top 'src/top/top.c:1: top may not include low' <<'END'
#include "low/low.h"
END
top "an object of top uses low_call, which is low's" <<'END'
int low_call(void);
int top(void) { return low_call(); }
END
top "an object of top uses low_table, which is low's" <<'END'
extern const int low_table[];
int top(void) { return low_table[0]; }
END
for use in 'LOW_TWICE(2)' 'LOW_LAST' 'low_inline()' '(int)sizeof(LowThing)' '(int)sizeof(LowCall *)'; do
    name=$(echo "$use" | sed 's/(int)sizeof(//; s/[^A-Za-z_].*//')
    top "src/top/top.c:2: top may not use low: $name (src/low/low.h)" <<END
#include "mid/mid.h"
int top(void) { return $use; }
END
done
top '' <<'END'
#define LOW_LAST 4
int low_inline(void) { return LOW_LAST; }
END
top 'src/top/top.c:2:.*' <<'END'
#include <stdio.h>
void top(void) { printf("only tool prints"); }
END
echo "$n cases"
exit $bad
