# Images and samplers as arguments: pictures in and out, sizes and formats, what is refused.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
kernel void rotate90(read_only image2d_t from, write_only image2d_t to)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, (int2)(get_image_height(from) - 1 - at.y, at.x), read_imagef(from, at));
}
kernel void shift(read_only image2d_t from, sampler_t s, write_only image2d_t to)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 size = (float2)(get_image_width(from), get_image_height(from));
    write_imagef(to, at, read_imagef(from, s, (convert_float2(at) + (float2)(1.0f, 0.5f)) / size));
}
kernel void ask(read_only image1d_array_t a, read_only image3d_t b, read_only image2d_array_t c, global int *out)
{
    const int v[] = {get_image_width(a), get_image_array_size(a), get_image_width(b), get_image_height(b),
                     get_image_depth(b), get_image_height(c), get_image_array_size(c),
                     get_image_channel_order(c) == CLK_RG, get_image_channel_data_type(c) == CLK_SIGNED_INT16,
                     read_imagei(c, (int4)(1, 0, 1, 0)).y, read_imagef(a, (int2)(2, 1)).x * 100};
    for (int i = 0; i < 11; i++)
        out[i] = v[i];
}
END
printf 'P3\n# red green blue\n3 2 255\n255 0 0  0 255 0  0 0 255\n10 20 30  40 50 60  70 80 90\n' >"$T.ppm"
printf 'P2\n4 1\n255\n0 100 200 255\n' >"$T.pgm"
n=0
try() { # TITLE ARGUMENTS
    n=$((n + 1))
    echo "$n: $1"
    shift
    "$B/ventus" run "$@" "$T.cl" 2>&1 | sed "s|$T|t|g"
}
try 'a quarter turn, as pixels' -k rotate90 -g 3,2 -a "img:$T.ppm" -a 'img:2x3>-'
try 'the same as a picture' -k rotate90 -g 3,2 -a "img:$T.ppm" -a "img:2x3:rgba32f>$T.out.ppm"
od -An -v -tu1 "$T.out.ppm"
try 'four turns are none' -k rotate90 -g 2,3 -a "img:$T.out.ppm" -a "img:3x2:bgra8>$T.2.ppm"
try 'three' -k rotate90 -g 3,2 -a "img:$T.2.ppm:rgba16" -a "img:2x3>$T.3.ppm"
try 'four' -k rotate90 -g 2,3 -a "img:2x3:rgba8=@$T.3.ppm" -a "img:3x2:rgba8==@$T.ppm"
try 'half a pixel, linear' -k shift -g 4,1 -a "img:$T.pgm" -a sampler:linear,edge,normalized -a 'img:4x1:r8==50,150,228,255>-'
try 'the same, nearest, repeated' -k shift -g 4,1 -a "img:$T.pgm:r32f" -a sampler:repeat,normalized -a "img:4x1:r8>$T.out.pgm"
tail -c 4 "$T.out.pgm" | od -An -v -tu1
try 'sizes, layers and formats' -k ask -g 1 -a 'img:3x2:r32f=0,1,2,3,4,0.25' -a img:4x5x6 \
    -a 'img:2x2x2:rg16i=0,1,2,3,4,5,6,7,8,9,10,-11,12' -a 'buf:i32:11>-'
try 'raw bytes' -k rotate90 -g 2,1 -a 'img:2x1:r16=258,772' -a "img:1x2:r16>$T.raw"
od -An -v -tx1 "$T.raw"
try 'no image' -k rotate90 -a buf:i32:4 -a i32:1
try 'no image is wanted' -k ask -a img:3x2 -a img:4x5x6 -a img:1x1x1 -a img:1
try 'dimensions' -k ask -a img:3 -a img:4x5 -a img:2x2 -a buf:i32:4
try 'no format' -k rotate90 -a img:3x2:rgb8 -a img:2x3:depth8
try 'no size' -k rotate90 -a img:0x3 -a img:1x2x3x4
try 'no sampler' -k shift -a img:3x3 -a sampler:linear,cubic -a img:3x3
try 'no picture' -k rotate90 -a "img:$T.cl" -a img:2x3
printf 'P5\n2 2\n255\nabc' >"$T.cut.pgm"
try 'a picture that is cut off' -k rotate90 -a "img:$T.cut.pgm" -a img:2x2
try 'another size' -k rotate90 -g 3,2 -a "img:2x2=@$T.ppm" -a img:2x3
try 'colours in one channel' -k rotate90 -g 3,2 -a "img:$T.ppm:r8" -a img:2x3
try 'grey as colours' -k rotate90 -g 3,2 -a "img:$T.ppm" -a "img:2x3:r8>$T.out.ppm"
try 'numbers with a sign' -k rotate90 -g 3,2 -a "img:$T.ppm" -a "img:2x3:rgba8_snorm>$T.out.ppm"
try 'inside, where addresses need no mode' -k shift -g 3,1 -a "img:$T.pgm" -a sampler:none,linear,normalized -a 'img:3x1:r8==50,150,228>-'
rm -f "$T.cl" "$T.ppm" "$T.pgm" "$T".*.ppm "$T".*.pgm "$T.raw"

# out:
# 1: a quarter turn, as pixels
# arg1[0..3]: 10,20,30,255 255,0,0,255 40,50,60,255 0,255,0,255
# arg1[4..5]: 70,80,90,255 0,0,255,255
# 2: the same as a picture
#   80  54  10  50  32  51  10  50  53  53  10  10  20  30 255   0
#    0  40  50  60   0 255   0  70  80  90   0   0 255
# 3: four turns are none
# 4: three
# 5: four
# 6: half a pixel, linear
# arg2[0..3]: 50 150 228 255
# 7: the same, nearest, repeated
#  100 200 255   0
# 8: sizes, layers and formats
# arg3[0..10]: 3 2 4 5 6 2 2 1 1 -11 25
# 9: raw bytes
#  02 01 04 03
# 10: no image
# t.cl: error: argument 0 (image2d_t from) is an image: img:FILE or img:WxH[:FORMAT]; it is given buf:i32:4
# t.cl: error: argument 1 (image2d_t to) is an image: img:FILE or img:WxH[:FORMAT]; it is given i32:1
# 11: no image is wanted
# t.cl: error: argument 3 (global int* out) is no image; it is given img:1
# 12: dimensions
# t.cl: error: argument 0 (image1d_array_t a) has two dimensions: img:WxH[:FORMAT] or img:FILE; it is given img:3
# t.cl: error: argument 1 (image3d_t b) has three dimensions: img:WxHxD[:FORMAT]; it is given img:4x5
# t.cl: error: argument 2 (image2d_array_t c) has three dimensions: img:WxHxD[:FORMAT]; it is given img:2x2
# 13: no format
# argument 0:1:9: error: 'rgb8' is no format: r rg rgba bgra srgba sbgra depth, and 8 16 8_snorm 16_snorm 8i 16i 32i 8ui 16ui 32ui 16f 32f
#     img:3x2:rgb8
#             ^
# argument 1:1:9: error: 'depth8' is no format: r rg rgba bgra srgba sbgra depth, and 8 16 8_snorm 16_snorm 8i 16i 32i 8ui 16ui 32ui 16f 32f
#     img:2x3:depth8
#             ^
# 14: no size
# argument 0:1:5: error: a dimension has from 1 to 16384 pixels
#     img:0x3
#         ^
# argument 1:1:11: error: an image has one to three dimensions
#     img:1x2x3x4
#               ^
# 15: no sampler
# argument 1:1:16: error: a sampler is none edge border repeat mirror, nearest linear, pixels normalized
#     sampler:linear,cubic
#                    ^
# 16: no picture
# t.cl: error: no picture: PNG, PGM or PPM
# 17: a picture that is cut off
# t.cut.pgm: error: the picture is cut off
# 18: another size
# argument 0:1:10: error: t.ppm: the picture has another size than the image
#     img:2x2=@t.ppm
#              ^
# 19: colours in one channel
# argument 0:1:5: error: t.ppm: the picture has colours or alpha, the image one channel
#     img:t.ppm:r8
#         ^
# 20: grey as colours
# t.out.ppm: error: a PPM has colours; the image has none: .pgm or .png
# 21: numbers with a sign
# t.out.ppm: error: numbers with a sign, or of 32 bits, are no picture
# 22: inside, where addresses need no mode
# arg2[0..2]: 50 150 228
# end
