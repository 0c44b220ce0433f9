# Symbols and relocations as readelf has them; code of one section, with the profile that is asked for, and with the places
# and the lines of its source; objects without kernels.
# skip: ! command -v readelf
# run: B=%b T=%t sh %s

cat >"$T.s" <<'EOF'
	.globl	main, count, nowhere
	.weak	perhaps, spare
	.set	seven, 7
	.type	main, @function
main:	lui	a1, %hi(table)
	lw	a2, %lo(table + 8)(a1)
1:	auipc	t0, %pcrel_hi(nowhere)
	addi	t0, t0, %pcrel_lo(1b)
	call	perhaps
	beqz	a0, main
	j	far
	ret
	.size	main, 24
	.section .text.far, "ax", @progbits
	.type	far, @function
far:	ret
	.size	far, . - far
	.data
	.type	table, @object
table:	.word	main, count - 4, seven, nowhere + 12
	.size	table, 16
spare:	.byte	1
	.bss
	.type	count, @object
	.size	count, 400000
count:	.zero	400000
	.comm	shared, 12, 4
EOF
"$B/ventus" as -o "$T.o" "$T.s" 2>/dev/null || exit 1
readelf -SW "$T.o" | sed -n 's/^ *\[ *\([0-9]*\)\] \(\.[^ ]*\) .*/\1 \2/p' >"$T.sections"
# value, size, bind, type, section, name
readelf -sW "$T.o" | awk 'FILENAME ~ /sections$/ { name[$1] = $2; next }
	$1 ~ /^[1-9][0-9]*:$/ { s = $7 == "UND" ? "*undefined*" : $7 == "ABS" ? "*absolute*" : $7 == "COM" ? "*common*" : name[$7]
		print $2, $3, tolower($5), tolower($4 == "NOTYPE" ? "none" : $4), s, $8 }' "$T.sections" - |
	while read -r value size rest; do echo "$value $((size)) $rest"; done | sort >"$T.want"
"$B/ventus" objdump -t "$T.o" | sed 1,2d | while read -r value size bind type section name; do
	[ ! "$value" ] || echo "${value#0x} $((size)) $bind $type $section $name"
done | sort >"$T.got"
diff "$T.want" "$T.got"
grep -c . "$T.want"
"$B/ventus" objdump -t "$T.o" | head -n 2
# offset, type, symbol, addend
readelf -rW "$T.o" | awk '/^Relocation section/ { s = $3; gsub(/.\.rela|.$/, "", s); next }
	/R_RISCV_/ { print s, "0x" $1, substr($3, 9), $5 $6 ($7 == "c" ? 12 : $7) }' >"$T.want"
"$B/ventus" objdump -r "$T.o" | sed 1,2d | awk 'NF { print $1, $2, $3, $4 }' >"$T.got"
diff "$T.want" "$T.got"
grep -c . "$T.want"
"$B/ventus" objdump -r "$T.o" | head -n 2
"$B/ventus" objdump -d -j .text.far "$T.o" | sed 1d
"$B/ventus" objdump -j .nobody "$T.o" 2>&1 | sed "s|$T|t|"
printf '\tvadd64.vv v2, v4, v6\n' >"$T.s"
"$B/ventus" as -p v2025 -o "$T.o" "$T.s"
for p in v2025 v202; do "$B/ventus" objdump -p $p -d "$T.o" | grep ^0; done
"$B/ventus" objdump --resources "$T.o"
# places
printf 'f:\taddi t0, t0, 1; addi t0, t0, 2\n\t# nothing\n\taddi t0, t0, 3\n\taddi t0, t0, 4; ret\n' >"$T.s"
"$B/ventus" as -g -o "$T.o" "$T.s"
for o in -l -S '-l -S'; do
	echo "$o:"
	"$B/ventus" objdump -j .text -d $o "$T.o" | sed "1,4d; s|$T|t|"
done
rm -f "$T.s" "$T.o" "$T.sections" "$T.want" "$T.got"

# out:
# 9
# symbols:
#   value       size        bind    type     section           name
# 9
# relocations:
#   section           offset      type                 symbol
#
# Disassembly of section .text.far:
#
# 00000000 <far>:
# 00000000: 00008067      ret
# t.o: error: it has no section '.nobody'
# 00000000: 00080c0000200054  vadd64.vv v2, v4, v6
# 00000000: 00200054      .word 0x00200054
# 00000004: 00080c00      .word 0x00080c00
# resources (bare):
#   none
#
# -l:
# 00000000 <f>:
# # t.s:1
# 00000000: 00128293      addi t0, t0, 1
# 00000004: 00228293      addi t0, t0, 2
# # t.s:3
# 00000008: 00328293      addi t0, t0, 3
# # t.s:4
# 0000000c: 00428293      addi t0, t0, 4
# 00000010: 00008067      ret
# -S:
# 00000000 <f>:
# #   f:	addi t0, t0, 1; addi t0, t0, 2
# 00000000: 00128293      addi t0, t0, 1
# 00000004: 00228293      addi t0, t0, 2
# #   	addi t0, t0, 3
# 00000008: 00328293      addi t0, t0, 3
# #   	addi t0, t0, 4; ret
# 0000000c: 00428293      addi t0, t0, 4
# 00000010: 00008067      ret
# -l -S:
# 00000000 <f>:
# # t.s:1
# #   f:	addi t0, t0, 1; addi t0, t0, 2
# 00000000: 00128293      addi t0, t0, 1
# 00000004: 00228293      addi t0, t0, 2
# # t.s:3
# #   	addi t0, t0, 3
# 00000008: 00328293      addi t0, t0, 3
# # t.s:4
# #   	addi t0, t0, 4; ret
# 0000000c: 00428293      addi t0, t0, 4
# 00000010: 00008067      ret
# end
