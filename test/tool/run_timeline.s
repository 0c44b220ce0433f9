# What a timeline counts, summed over its time, is what the statistics say, but for what is lost in whole numbers; a slot
# is named once, however many warps it has.
# run: %b/ventus run %s --engine timing --threads 4 -g 512 -l 8 -a buf:i32:1=7 --timeline=%t.j --stats >%t.s
# run: awk -F'[:,}]' '
# run:     function number(name,  i) { for (i = 1; i < NF; i++) if ($i ~ "\"" name "\"$") return $(i + 1) }
# run:     function count(key,  k) { k = key number("pid"); sum[key] += rate[k] * (number("ts") - at[k]) / 1000; at[k] = number("ts"); rate[k] = number(key) }
# run:     FILENAME ~ /s$/ { split($0, w, " "); stat[w[1]] = w[2]; next }
# run:     /"instructions in 1000 cycles"/ { count("issued") }
# run:     /"memory, bytes in 1000 cycles"/ { count("read") }
# run:     /"thread_name"/ { named++; slots += !seen[number("pid"), number("tid")]++ }
# run:     END { for (k in rate) if (k ~ /issued/) sum["issued"] += rate[k] * (stat["cycles"] - at[k]) / 1000
# run:         i = sum["issued"] / stat["slots.issued"]; r = sum["read"] / stat["external.reads"] / 128
# run:         print (i > 0.95 && i < 1.05), (r > 0.8 && r <= 1)
# run:         print (named == slots), (slots > 8) }' %t.s %t.j

	.text
	.kernel touch
touch:
	lw      a1, 0(a0)
	lw      t2, 0(a1)
	addi    t2, t2, 1
	sw      t2, 0(a1)
	ret

# out:
# 1 1
# 1 1
# end
