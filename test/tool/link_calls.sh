# OpenCL C linked with assembly and with more of its kind: narrow arguments come extended (doc/abi.md, "Calls"), and each
# object's kernels and texts of printf stay its own.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
V=$B/ventus
mkdir -p "$T" && cd "$T" || exit 1
cat >call.cl <<'END'
uint wide_uchar(uchar x);
int wide_char(char x);
uint wide_ushort(ushort x);
int wide_short(short x);
kernel void widths(global const uint *in, global int *out)
{
    const int i = get_global_id(0);
    const uint x = in[i] + 0x7ff0;
    out[4 * i] = wide_uchar((uchar)x);
    out[4 * i + 1] = wide_char((char)x);
    out[4 * i + 2] = wide_ushort((ushort)x);
    out[4 * i + 3] = wide_short((short)x);
}
END
cat >call.s <<'END'
	.text
	.globl wide_uchar, wide_char, wide_ushort, wide_short
wide_uchar:
wide_char:
wide_ushort:
wide_short:
	ret
END
cat >first.cl <<'END'
kernel void first(int x) { printf("first %d\n", x); }
END
cat >second.cl <<'END'
constant int table[] = {5, 6, 7};
kernel void second(int x, global int *out) { printf("second %s %d\n", "text", x); out[0] = table[x]; }
END
for f in call first second; do "$V" cc -c -o $f.o $f.cl || exit 1; done
"$V" as -o asm.o call.s && "$V" ld -o all.elf call.o asm.o first.o second.o || exit 1
"$V" run -k widths -g 4 -a 'buf:u32:4=0x18000,0x8010,0xff,15' -a 'buf:i32:16>-' all.elf
"$V" run -k first -g 1 -a i32:3 all.elf
"$V" run -k second -g 1 -a i32:2 -a 'buf:i32:1>-' all.elf
cd / && rm -rf "$T"

# out:
# arg1[0..15]: 240 -16 65520 -16 0 0 0 0 239 -17 33007 -32529 255 -1 32767 32767
# first 3
# second text 2
# arg1[0..0]: 7
# end
