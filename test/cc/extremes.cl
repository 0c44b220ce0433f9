// The largest and smallest of sums with a term in common: of int, which do not overflow here, so that one sum is enough,
// and of uint, which wrap.  The values are those of the formulas in whole numbers.
// skip: ! test -e %b/ventus-cc1
// run: a=0,1,-1,5,-7,100,2147483647,-2147483648,12345,-12345,7,8,9,-3,3,2
// run: b=3,-3,2147483647,-2147483648,4,-100,1,-1,-12345,12345,8,7,-9,3,-3,2
// run: most=0,1,201326591,67108864,1,7,134217727,-67108864,772,772,0,0,1,1,1,0
// run: both=0,-2,-134217728,-134217728,-2,-2,134217726,134217726,-2,-2,0,0,-2,-2,-2,0
// run: wraps=3,4294967294,2214592511,2214592512,4294967290,4294967197,4227858434,4227858432,4294954952,4294954952,8,8,4294967288,4294967294,4294967294,2
// run: four=7,7,134217734,7,7,13,134217734,67108870,778,778,7,7,7,7,7,7
// run: for options in -cl-opt-disable -DANY; do
// run:   %b/ventus run -B $options -k extremes -g 16 -l 16 -a buf:i32:16=$a -a buf:i32:16=$b -a buf:i32:16==$most -a buf:i32:16==$both -a buf:u32:16==$wraps -a buf:i32:16==$four %s || exit
// run: done
kernel void extremes(global const int *x, global const int *y, global int *most, global int *both, global uint *wraps,
                     global int *four)
{
    const uint i = get_global_id(0);
    const int a = x[i] >> 4, b = y[i] >> 4, p = (a ^ b) >> 1, q = a + b;
    most[i] = max(a - p, max(b - p, q));
    both[i] = min(p + a, b + p) + max(p - a, p - b);
    wraps[i] = max((uint)x[i] - (uint)p, (uint)y[i] - (uint)p);
    four[i] = max(a + 7, max(q, max(b + 7, p + 7)));
}
