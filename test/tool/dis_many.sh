# As many lines come out as go in, whatever the words.
# run: awk 'BEGIN { for (i = 0; i < 300000; i++) printf "%08x\n", i * 2654435761 % 4294967296 }' >%t; %b/ventus dis <%t | wc -l
# run: %b/ventus dis --isa v2025 <%t | wc -l

# out:
# 300000
# 300000
# end
