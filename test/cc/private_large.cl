// A work-item that uses more than 4096 bytes of private memory gets them: alone, and beside groups that run
// at the same time.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus run -g 8 -l 8 -a 'buf:u32:8>-' %s
// run: %b/ventus run -j 4 -g 2048 -l 32 -a 'buf:u32:2048>-' %s | tr ' ' '\n' | grep -v arg | sort | uniq -c | sed 's/^ *//'
kernel void sums(global uint *out)
{
    volatile uint a[1200];
    uint n = get_group_id(0) & 1 ? 1000 : 1200, s = 0;
    for (uint j = 0; j < n; j++)
        a[j] = j;
    for (uint k = 0; k < 8; k++) {
        s = 0;
        for (uint j = 0; j < n; j++)
            s += a[j];
    }
    out[get_global_id(0)] = s;
}
// out:
// arg0[0..7]: 719400 719400 719400 719400 719400 719400 719400 719400
// 1024 499500
// 1024 719400
// end
