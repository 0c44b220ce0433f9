# What a trace says of CSR instructions: the CSR that one writes, by its number and name, with the value that the next one
# reads; nothing of one that only reads.  Flags of a scalar's division by 0 (DZ is 8).  And words of 64 bits.
# run: B=%b T=%t sh %s

names='1:fflags 2:frm 3:fcsr 9:vxsat 10:vxrm 15:vcsr 772:mie 832:mscratch 833:mepc 834:mcause 835:mtval 836:mip 2059:print'
for c in $names; do
	printf '\t.kernel k\nk:\tli\tt0, 9\n' >"$T.s"
	for insn in 'csrrw t1, N, t0' 'csrrs t2, N, zero' 'csrrs t1, N, t0' 'csrrs t2, N, zero' 'csrrc t1, N, t0' 'csrrc t2, N, zero' \
		'csrrwi t1, N, 3' 'csrrsi t2, N, 0' 'csrrsi t1, N, 2' 'csrrci t2, N, 0' 'csrrci t1, N, 1' 'csrrs t2, N, zero' 'csrrwi t1, N, 0' \
		'csrrs t2, N, zero' 'csrrw t1, N, zero' 'csrrs t2, N, zero'; do
		echo "	$insn" | sed "s/N/${c%:*}/" >>"$T.s"
	done
	echo '	ret' >>"$T.s"
	"$B/ventus" run "$T.s" -g 1 --threads 4 --trace=- | awk -v name="c${c%:*}_${c#*:}" '
		/x5  0x00000009/ { on = 1; next }
		!on || !/core/ || ++n > 16 { next }
		{ for (i = 6; i < NF; i++) { if ($i == name) value = $(i + 1); if ($i == "x7") read = $(i + 1) } has = index($0, " " name " ") }
		n % 2 != (has > 0) { print name ", line " n ": " $0 }
		n % 2 == 0 && read != value { print name ", line " n ": read " read ", wrote " value }
		END { if (n < 16) print name ": only " n }'
done
echo $names | wc -w
printf '\t.kernel k\nk:\tli t0, 0x3f800000\n\tfdiv.s t1, t0, zero\n\tret\n' >"$T.s"
"$B/ventus" run "$T.s" -g 1 --threads 4 --trace=- | grep -o 'c1_fflags 0x[0-9a-f]*'
printf '\t.kernel k\nk:\tvadd64.vv v2, v4, v6\n\tret\n' >"$T.s"
"$B/ventus" run -p v2025 "$T.s" -g 1 --threads 4 --trace=- | grep -o '(0x[0-9a-f]\{9,\})'
# the profile of an object without a mark is the one that is asked for; a mark wins
"$B/ventus" as -p v2025 -o "$T.marked.o" "$T.s"
printf '\t.kernel k\nk:\t.word 0x00200054, 0x00080c00\n\tret\n' >"$T.s"
"$B/ventus" as -o "$T.o" "$T.s"
for o in "-p v2025 $T.o" "$T.o" "-p v202 $T.marked.o"; do
	"$B/ventus" run $o -g 1 --threads 4 --trace=- 2>&1 | grep -o '(0x[0-9a-f]\{9,\})\|instruction of another profile'
done
rm -f "$T.s" "$T.o" "$T.marked.o"

# out:
# 13
# c1_fflags 0x00000008
# (0x00080c0000200054)
# (0x00080c0000200054)
# instruction of another profile
# (0x00080c0000200054)
# end
