# Wrong usage: a message on stderr, status 2, nothing on stdout.
# run: B=%b sh %s

wrong() {
	"$B/ventus" "$@" 2>&1 >"$B/usage.out" </dev/null | grep -v '^Try '
	"$B/ventus" "$@" >/dev/null 2>&1 </dev/null
	status=$?
	[ $status -eq 2 ] || echo "ventus $*: status $status"
	[ -s "$B/usage.out" ] && echo "ventus $*: on stdout"
	return 0
}

wrong | head -n 1
wrong disassemble
wrong objdum
wrong help nothing
wrong as
wrong as a.s b.s
wrong as -
wrong as --isa v203 a.s
wrong as no/such/file.s
wrong cc
wrong cc -f no-uniform a.cl
wrong dis 13
wrong dis --pc 0x100000000
wrong dis --isa v202+v2025
wrong objdump
wrong objdump no/such/file
wrong ld a.o
wrong ld -o a.elf
wrong ld -o a.elf no/such/file.o
wrong run
wrong run a.elf b.elf
wrong run --threads 7 a.elf
wrong run --threads 64 a.elf
wrong run --warps 0 a.elf
wrong run --warps 65 a.elf
wrong run --engine fpga a.elf
wrong run --vm mine a.elf
wrong run --timeout -1 a.elf
wrong run --max-insns many a.elf
wrong run --stats=xml a.elf
wrong run -g 0 a.elf
wrong run -g 1,2,3,4 a.elf
wrong run -g 8x8 a.elf
# shellcheck disable=SC2046
wrong run $(yes -- '-a i32:1' | head -n 1024) no/such.elf
# shellcheck disable=SC2046
wrong run $(yes -- '-a i32:1' | head -n 1025) no/such.elf
wrong run -g 10 -l 4 test/run/vecadd.s
wrong run --machine huge a.elf
wrong run --machine no/such.machine a.elf
wrong run -j -1 a.elf
wrong run kernel.cl
wrong run no/such/file.elf
wrong replay
wrong replay a.metadata
wrong replay no/such.metadata no/such.data
wrong info everything
NUM_THREAD=5 wrong run a.elf
NUM_THREAD=3 wrong run a.elf
NUM_WARP=many wrong run a.elf
VENTUS_ISA=v1 wrong run a.elf
VENTUS_ENGINE=fpga wrong run a.elf
VENTUS_BACKEND=spike wrong run no/such/file
rm -f "$B/usage.out"

# out:
# Usage: ventus COMMAND [OPTION...] [FILE...]
# ventus: error: no command 'disassemble'
# ventus: error: no command 'objdum'; did you mean 'objdump'?
# ventus: error: no command 'nothing'
# ventus as: no file to assemble
# ventus as: one file at a time; 'b.s' is one too many
# ventus as: a text from stdin needs -o
# ventus as: --isa: 'v203' is no profile; there are v202 and v2025, with +ai and +tidx
# no/such/file.s: error: No such file or directory
# ventus cc: no file to compile
# ventus cc: -f no-uniform: no pass of that name can be turned off
# ventus dis: words are read from stdin; '13' is one too many
# ventus dis: --pc: '0x100000000' is not a number from 0 to 4294967295
# ventus dis: --isa: 'v202+v2025' is no profile; there are v202 and v2025, with +ai and +tidx
# ventus objdump: no file to show
# no/such/file: error: No such file or directory
# ventus ld: no output: -o OUT.elf
# ventus ld: no objects to link
# no/such/file.o: error: No such file or directory
# ventus run: no file to run
# ventus run: one file at a time; 'b.elf' is one too many (arguments of the kernel are -a)
# ventus run: --threads: a warp has 4, 8, 16 or 32 lanes
# ventus run: --threads: '64' is not a number from 0 to 32
# ventus run: --warps: 0 is too few
# ventus run: --warps: '65' is not a number from 0 to 64
# ventus run: --engine: 'fpga' is no engine: interp, jit, auto, shadow, timing
# ventus run: --vm: 'mine' is no rule: own, spike, rtl, ignore
# ventus run: --timeout: '-1' is no number of seconds
# ventus run: --max-insns: 'many' is not a number from 0 to 18446744073709551615
# ventus run: --stats: 'xml' is no form: text, json
# ventus run: -g: 0 is too few
# ventus run: -g: more than three numbers in '1,2,3,4'
# ventus run: -g: '8x8' is not a number from 0 to 4294967295
# no/such.elf: error: No such file or directory
# ventus run: more than 1024 arguments
# ventus run: error: -g 10 is no multiple of -l 4 in dimension 0; smaller last groups are allowed from OpenCL C 2.0 on (-B -cl-std=CL3.0)
# ventus: error: no machine 'huge' is built in; see ventus info, or give a file
# no/such.machine: error: No such file or directory
# ventus run: -j: '-1' is not a number from 0 to 256
# kernel.cl: error: No such file or directory
# no/such/file.elf: error: No such file or directory
# ventus replay: no files to replay
# ventus replay: files come in pairs: X.metadata X.data; 'a.metadata' is alone
# no/such.metadata: error: No such file or directory
# ventus info: 'everything' is one too many
# ventus: error: NUM_THREAD: a warp has 4, 8, 16 or 32 lanes
# ventus: error: NUM_THREAD: '3' is not a number from 4 to 32
# ventus: error: NUM_WARP: 'many' is not a number from 1 to 64
# ventus: error: VENTUS_ISA: 'v1' is no profile
# ventus: error: VENTUS_ENGINE: no engine 'fpga' is built in
# no/such/file: error: No such file or directory
# end
