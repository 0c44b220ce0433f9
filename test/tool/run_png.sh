# PNG pictures as images: a palette of 2 bits with alpha, grey of 16 bits, and what comes out reads back.
# skip: ! test -e %b/ventus-cc1
# skip: ! ldd %b/ventus | grep -q libpng
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
kernel void copy(read_only image2d_t from, write_only image2d_t to)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, at));
}
END
# both made by another encoder: 1,2,3,0  10,20,30,128 / 255,0,0,255  0,0,255,255; and 0x1234 0xfffe
echo iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAgMAAAAP2OW3AAAADFBMVEUBAgMKFB7/AAAAAP+O72+mAAAAAnRSTlMAgJsrThgAAAAMSURBVHicYxBg2AAAAOQAwSeo6FcAAAAASUVORK5CYII= |
    base64 -d >"$T.palette.png"
echo iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR4nGMQMvn/DwAD5QJEWNUaIQAAAABJRU5ErkJggg== |
    base64 -d >"$T.grey.png"
run() {
    "$B/ventus" run -k copy "$@" "$T.cl" 2>&1 | sed "s|$T|t|g"
}
run -g 2,2 -a "img:$T.palette.png" -a "img:2x2==1,2,3,0,10,20,30,128,255,0,0,255,0,0,255,255>$T.out.png"
run -g 2,2 -a "img:$T.out.png" -a "img:2x2>-"
run -g 2,1 -a "img:$T.grey.png" -a "img:2x1:r16==0x1234,0xfffe>$T.16.png"
run -g 2,1 -a "img:$T.16.png" -a "img:2x1:r16>-"
run -g 2,1 -a "img:$T.grey.png:r8" -a "img:2x1:r8>-"
head -c 60 "$T.out.png" >"$T.cut.png"
run -g 2,2 -a "img:$T.cut.png" -a img:2x2
rm -f "$T.cl" "$T".*.png

# out:
# arg1[0..3]: 1,2,3,0 10,20,30,128 255,0,0,255 0,0,255,255
# arg1[0..1]: 4660 65534
# arg1[0..1]: 18 255
# t.cut.png: error: the picture is cut off
# end
