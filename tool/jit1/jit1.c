/* jit1.c -- ventus-jit1, the process that makes host code: started by jit/maker.c, never by hand.
 *
 *   ventus-jit1 LEVEL    of the host's vector instructions: base, avx2, avx512
 *
 * LLVM is part of this program.  Descriptor 3 is the control of the server (proc/proc.h); jobs run in
 * forks of this process, one after the other in the same, since a fork takes longer than most of
 * them.
 */
#include "jit/codemaker.h"
#include "proc/proc.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends without LLVM's destructors, which take longer than compiling a small region; but with a
 * sanitizer they run, so that it finds leaks. */
static void end(int status)
{
#ifdef __SANITIZE_ADDRESS__
    exit(status);
#else
    _exit(status);
#endif
}

int main(int argc, char **argv)
{
    if (argc != 2 || fcntl(PROC_CONTROL, F_GETFD) < 0) {
        fprintf(stderr, "ventus-jit1 makes host code for the engines `jit' and `auto'; it is not "
                        "run by hand\n");
        return 2;
    }
    fcntl(PROC_CONTROL, F_SETFD, FD_CLOEXEC);
    codemaker_set_options();
    CodeMaker *c = codemaker_open(argv[1]);
    return !c || proc_serve(&(ProcServer){.control = PROC_CONTROL,
                                          .keep = -1,
                                          .again = true,
                                          .job = codemaker_job,
                                          .self = c,
                                          .end = end});
}
