# Of a launch of more than 65,536 warps the rest are told together: their number, and what they issued,
# which is as much for each warp here.
# run: %b/ventus run %s --engine timing --threads 4 -g 262944 -l 4 --profile=%t.txt && sed -n 's/^.* \([0-9]* others\)$/\1/p' %t.txt
# run: %b/ventus run %s --engine timing --threads 4 -g 262944 -l 4 --profile=%t.json
# run: awk -F '[:,]' '/"issued"/ && !all { all = $2 } /"other_warps"/ { on = 1 } on && /"warps": / { n = $2 } on && /"issued"/ { print n, $2 * 65736 == all * n; exit }' %t.json
	.kernel k
k:	endprg
# out:
# 200 others
#  200 1
# end
