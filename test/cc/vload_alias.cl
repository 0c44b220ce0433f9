// vloadn and vstoren see what was stored, and leave what is loaded, by another type: memory's type is not theirs.
// skip: ! test -e %b/ventus-cc1
// run: loaded=16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32
// run: %b/ventus run -k loads -a buf:u16:33=iota -a buf:u16:32==$loaded %s
// run: %b/ventus run -k stores -a buf:u16:16=iota -a buf:u16:17==0,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 %s
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void loads(global half *in, global half16 *out)
{
    volatile private short loc[33];
    for (int i = 0; i < 33; ++i)
        loc[i] = ((global short *)in)[i];
    out[0] = vload16(1, (private half *)loc);
    out[1] = vload16(1, (private half *)loc + 1);
}

kernel void stores(global half16 *in, global short *out)
{
    volatile private short loc[17];
    loc[0] = 0;
    vstore16(*in, 0, (private half *)loc + 1);
    for (int i = 0; i < 17; ++i)
        out[i] = loc[i];
}
