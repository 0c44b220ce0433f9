# A fault in assembly names the line: in an include, of a macro's call; an image tells it if it was
# assembled with -g.
# run: B=%b T=%t sh %s

mkdir -p "$T" && cd "$T" || exit 1
case $B in /*) ;; *) B=$OLDPWD/$B ;; esac
cat >part.inc <<'END'
    nop
    lw t0, 0(t1)
END
cat >k.s <<'END'
.macro store reg
    li t1, 0x30
    sw \reg, 0(t1)
.endm
    .kernel k
k:  li t1, 0x30
    .include "part.inc"
    store a0
    endprg
END
try() {
    "$B/ventus" "$@" 2>&1 | sed -n '1,4p'
}
grep -v include k.s >m.s
try run k.s
try run m.s
"$B/ventus" as -g -o g.o m.s && "$B/ventus" ld -o g.elf g.o && try run g.elf
"$B/ventus" as -o p.o m.s && "$B/ventus" ld -o p.elf p.o && try run p.elf | sed 2q
cd / && rm -rf "$T"

# out:
# k.s: error: the kernel faulted: load from unmapped memory: 0x00000030 (4 bytes)
#   at          part.inc:2:5
#               lw t0, 0(t1)
#               ^
# m.s: error: the kernel faulted: store to unmapped memory: 0x00000030 (4 bytes)
#   at          m.s:7:5
#               store a0
#               ^
# g.elf: error: the kernel faulted: store to unmapped memory: 0x00000030 (4 bytes)
#   at          m.s:7:5
#               store a0
#               ^
# p.elf: error: the kernel faulted: store to unmapped memory: 0x00000030 (4 bytes)
#   address     next to the null pointer
