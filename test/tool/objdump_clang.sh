# What objdump shows of an object that clang made, with sections, symbols and relocations that our assembler does not make,
# is what readelf shows; and resource records of every form, with each flag (doc/abi.md).
# skip: ! command -v readelf || ! clang-19 --print-targets 2>/dev/null | grep -q riscv32
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
cat >a.s <<'END'
	.text
	.globl	f, seven
	.type	f, @function
f:	call	away
	lui	a0, %tprel_hi(counter)
	add	a0, a0, tp, %tprel_add(counter)
	la.tls.ie a1, counter
	la.tls.gd a2, counter
	beq	a0, a1, f
	ret
	.size	f, . - f
	.section .rodata.str1.1, "aMS", @progbits, 1
.L.text: .asciz "text"
	.section .rodata.cst4, "aM", @progbits, 4
	.p2align 3
	.word	5
	.section .init_array, "aw", @init_array
	.word	f
	.section .fini_array, "aw", @fini_array
	.word	f - 4
	.section .preinit_array, "aw", @preinit_array
	.word	0
	.section .tbss, "awT", @nobits
	.type	counter, @object
counter: .zero	4
	.size	counter, 4
	.section .note.mine, "", @note
	.word	1, 2, 3
	.comm	shared, 24, 8
	.weak	perhaps
	.set	seven, 7
	.data
	.type	g, @gnu_indirect_function
g:	.word	perhaps, .L.text + 2, seven
	.section .x, "awx"
	.byte	1
END
clang-19 --target=riscv32 -march=rv32imf -mabi=ilp32 -c -o a.o a.s || exit 1
# number, address, size, alignment, flags, type, name
readelf -SW a.o | sed -n 's/^ *\[ *\([0-9]*\)\] \(\.[^ ]*\) *\([A-Z_]*\) *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) [0-9a-f]* *\([A-Z]*\) *[0-9]* *[0-9]* *\([0-9]*\)$/\1 \2 \3 \4 \5 \7 \6/p' >sections
awk '$3 ~ /^(PROGBITS|NOBITS|NOTE|INIT_ARRAY|FINI_ARRAY|PREINIT_ARRAY|RISCV_ATTRIBUTE)/ {
	type = tolower($3); sub(/^riscv_attributes*/, "attributes", type); sub(/^preinit_array/, "other", type)
	flags = ""
	for (i = 1; i <= 5; i++) if (index($7, substr("AWXMS", i, 1))) flags = flags substr("AWXMS", i, 1)
	print $4, $5, $6, flags ? flags : "-", type, $2 }' sections >want
"$B/ventus" objdump -h a.o | awk '/^ *[0-9]+  0x/ { print substr($2, 3), substr($3, 5), $4, $5, $6, $7 }' >got
diff want got && grep -c . want
for type in progbits nobits note init_array fini_array other attributes; do awk -v t=$type '$5 == t { n++ } END { if (!n) print "no " t }' got; done
# value, size, bind, type, section, name
readelf -sW a.o | awk 'FILENAME ~ /sections$/ { name[$1] = $2; next }
	$1 ~ /^[1-9][0-9]*:$/ && $4 != "SECTION" { t = tolower($4); sub(/notype/, "none", t); sub(/ifunc/, "other", t)
		s = $7 == "UND" ? "*undefined*" : $7 == "ABS" ? "*absolute*" : $7 == "COM" ? "*common*" : name[$7]
		print $2, $3, tolower($5), t, s, $8 }' sections - | LC_ALL=C sort >want
"$B/ventus" objdump -t a.o | sed 1,2d | while read -r value size bind type section name; do
	case $type in '' | section) ;; *) echo "${value#0x} $((size)) $bind $type $section $name" ;; esac
done | LC_ALL=C sort >got
diff want got && grep -c . want
for type in none object func tls other; do awk -v t=$type '$4 == t { n++ } END { if (!n) print "no " t }' got; done
# relocations, by name where we have one
readelf -rW a.o | awk '/^Relocation section/ { s = $3; gsub(/.\.rela|.$/, "", s); next } /R_RISCV_/ { print s, "0x" $1 }' | sort >want
"$B/ventus" objdump -r a.o | sed 1,2d | awk 'NF { print $1, $2 }' | sort >got
diff want got && grep -c . want
"$B/ventus" objdump -r a.o | awk '$3 ~ /^[0-9]+$/ { print $3 }' | sort -n | uniq -c | awk '{ print "number " $2 }'
# resource records of every form, with each flag
record() { # NAME VERSION FLAGS VGPR SGPR LDS PRIVATE STACK PRIVATE-STACK
	printf '\t.section .ventus.resource.%s,"",@progbits\n\t.word %s, %s\n\t.quad %s, %s, %s, %s, %s, %s\n' "$@"
}
{
	for k in plain dynamic recursive indirect outside deep few all old unknown short none; do
		printf '\t.text\n\t.globl %s\n\t.type %s, @function\n%s:\tret\n\t.size %s, 4\n' $k $k $k $k
	done
	record plain 3 0 41 12 256 16 64 8
	record dynamic 3 1 0 0 0 0 0 0
	record recursive 3 2 1 2 3 4 5 6
	record indirect 3 4 7 8 9 10 11 12
	record outside 3 8 1 1 1 1 1 1
	record deep 3 16 1 1 1 1 1 1
	record few 3 32 1 1 1 1 1 1
	record all 3 63 4294967296 33 1 1 1 1
	record old 2 0 1 1 1 1 1 1
	record unknown 3 0 -1 -1 -1 -1 -1 -1
	printf '\t.section .ventus.resource.short,"",@progbits\n\t.half 5, 6, 7, 65535\n'
} >r.s
clang-19 --target=riscv32 -march=rv32im -mabi=ilp32 -c -o r.o r.s && "$B/ventus" objdump --resources r.o
for wrong in '\t.word 4, 0\n\t.zero 48' '\t.word 1, 0\n\t.zero 48' '\t.zero 55' '\t.zero 57' '\t.zero 4' '\t.zero 9'; do
	printf '\t.text\n\t.globl k\n\t.type k, @function\nk:\tret\n\t.section .ventus.resource.k,"",@progbits\n%b\n' "$wrong" >r.s
	clang-19 --target=riscv32 -march=rv32im -mabi=ilp32 -c -o r.o r.s && "$B/ventus" objdump --resources r.o 2>&1 | grep -v '^$'
	"$B/ventus" objdump --resources r.o >/dev/null 2>&1 || echo "status $?"
done
cd / && rm -rf "$T"

# out:
# 11
# 21
# 17
# number 32
# resources (bare):
#   plain: version 3  vgpr 41  sgpr 12  lds 256  private 16  stack 64  private-stack 8
#   dynamic: version 3  vgpr 0  sgpr 0  lds 0  private 0  stack 0  private-stack 0  dynamic-alloca
#   recursive: version 3  vgpr 1  sgpr 2  lds 3  private 4  stack 5  private-stack 6  recursion
#   indirect: version 3  vgpr 7  sgpr 8  lds 9  private 10  stack 11  private-stack 12  indirect-call
#   outside: version 3  vgpr 1  sgpr 1  lds 1  private 1  stack 1  private-stack 1  unknown-callee
#   deep: version 3  vgpr 1  sgpr 1  lds 1  private 1  stack 1  private-stack 1  no-stack-peak
#   few: version 3  vgpr 1  sgpr 1  lds 1  private 1  stack 1  private-stack 1  registers-incomplete
#   all: version 3  vgpr 4294967296  sgpr 33  lds 1  private 1  stack 1  private-stack 1  dynamic-alloca  recursion  indirect-call  unknown-callee  no-stack-peak  registers-incomplete
#   old: version 2  vgpr 1  sgpr 1  lds 1  private 1  stack 1  private-stack 1
#   unknown: version 3  vgpr unknown  sgpr unknown  lds unknown  private unknown  stack unknown  private-stack unknown
#   short:  vgpr 5  sgpr 6  lds 7  private 65535
#
# r.o: error: .ventus.resource.k: resource record of version 4; 2 and 3 are known
# resources (bare):
# status 2
# r.o: error: .ventus.resource.k: resource record of version 1; 2 and 3 are known
# resources (bare):
# status 2
# r.o: error: .ventus.resource.k: a resource record of 55 bytes; it has 8 or 56
# resources (bare):
# status 2
# r.o: error: .ventus.resource.k: a resource record of 57 bytes; it has 8 or 56
# resources (bare):
# status 2
# r.o: error: .ventus.resource.k: a resource record of 4 bytes; it has 8 or 56
# resources (bare):
# status 2
# r.o: error: .ventus.resource.k: a resource record of 9 bytes; it has 8 or 56
# resources (bare):
# status 2
# end
