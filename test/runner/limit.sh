# limit.sh -- no test runs for ever; read by check.sh and run.sh.
#
# A test may take LIMIT seconds of wall time (300; several times as much in builds with sanitizers, and by engines that
# optimise all code before they run it), or the seconds that a comment in its file asks for: `limit: 300`, multiplied
# likewise.

# the seconds that a test may take
limit_of() { # FILE
    stated=$(sed -n 's,^[[:space:]]*[#;/*]*[[:space:]]*limit:[[:space:]]*\([1-9][0-9]*\).*,\1,p' "$1" 2>/dev/null |
        head -n 1)
    case ${m-} in
    asan | hostile) times=5 ;;
    tsan) times=10 ;;
    dbg) times=3 ;;
    *) times=1 ;;
    esac
    case ${VENTUS_ENGINE-} in jit | shadow) times=$((times * 4)) ;; esac
    echo $((${stated:-${LIMIT:-300}} * times))
}

# Runs a command; its status is the command's.  When the time is over its whole process group is killed and
# `over` holds the seconds that it was given; else `over` is empty.
limited() { # FILE COMMAND...
    allowed=$(limit_of "$1")
    shift
    began=$(date +%s)
    timeout -s KILL "$allowed" "$@" </dev/null
    status=$?
    over=
    [ $status -eq 137 ] && [ $(($(date +%s) - began)) -ge "$allowed" ] && over=$allowed
    return $status
}
