# Ctrl-C ends a kernel that does not end, says where it is, and gives the shell's status.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

mkdir -p "$T" && cd "$T" || exit 1
case $B in /*) ;; *) B=$OLDPWD/$B ;; esac
cat >loop.cl <<'END'
kernel void loop(global volatile int *p)
{
    while (*p == 0)
        ;
}
END
"$B/ventus" cc loop.cl
# A shell's background processes ignore SIGINT, if nobody undoes that.  A signal that comes before the
# launch ends the process at once: then once more, with more patience.
for wait in 1 3 9; do
	env --default-signal=INT "$B/ventus" run -g 1 -a buf:i32:1 --timeout 60 loop.elf >out 2>&1 &
	sleep $wait
	kill -INT $!
	wait $!
	status=$?
	[ -s out ] && break
done
echo "status $status"
grep -v '^  [apiwg]\|\^' out
cd / && rm -rf "$T"

# out:
# status 130
# loop.elf: error: the kernel faulted: stopped on request
#               while (*p == 0)
#   kernel      loop
