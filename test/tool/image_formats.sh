# Formats of images: each order of channels with each of their types, by the least and the largest number of one, which
# come back as they are; and which of them OpenCL does not put together.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

echo 'kernel void keep(read_only image2d_t a) { }' >"$T.cl"
"$B/ventus" cc -o "$T.elf" "$T.cl" || exit 1
good=0 bad=0
for order in r,1 rg,2 rgba,4 bgra,4 srgba,4 sbgra,4 depth,1; do
	for type in 8,0,255 16,0,65535 8_snorm,-128,127 16_snorm,-32768,32767 8i,-128,127 16i,-32768,32767 \
		32i,-2147483648,2147483647 8ui,0,255 16ui,0,65535 32ui,0,4294967295 16f,0,65535 32f,-0.25,1.5; do
		format=${order%,*}${type%%,*} numbers=${type#*,}
		case ${order#*,} in
		1) given=$numbers want=$(echo "$numbers" | tr , ' ') ;;
		2) given=$numbers,$numbers want="$numbers $numbers" ;;
		4) given=$numbers,$numbers,$numbers,$numbers want="$numbers,$numbers $numbers,$numbers" ;;
		esac
		got=$("$B/ventus" run -k keep -g 1 -a "img:2x1:$format=$given>-" "$T.elf" 2>&1)
		case $format in
		srgba8 | sbgra8 | bgra8 | bgra8_snorm | bgra8i | bgra8ui | depth16 | depth32f) known=1 ;;
		s* | bgra* | depth*) known= ;;
		*) known=1 ;;
		esac
		if [ "$known" ]; then
			good=$((good + 1))
			[ "$got" = "arg0[0..1]: $want" ] || printf '%s: %s\n%s\n' "$format" "$given" "$got"
		else
			bad=$((bad + 1))
			case $got in
			*"error: '$format' is no format"*) ;;
			*) printf '%s:\n%s\n' "$format" "$got" ;;
			esac
		fi
	done
done
echo "$good and $bad"
rm -f "$T.cl" "$T.elf"

# out:
# 44 and 40
# end
