/* confine.c -- takes rights away from a job that reads foreign bytes.
 *
 * Afterwards it can start no process, make no connection, signal no other process, and neither
 * make, change nor remove a file.  It keeps the descriptors that it was given, and may read files.
 * Landlock forbids writing to files, a filter of system calls the rest.  If the kernel lacks one of
 * the two, the job goes on without it; its bounds on time and memory hold in any case.
 */
#include "proc/proc.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

static void forbid_files(void)
{
    const struct landlock_ruleset_attr writing = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM};
    const long rules = syscall(SYS_landlock_create_ruleset, &writing, sizeof writing, 0);
    if (rules < 0)
        return;
    syscall(SYS_landlock_restrict_self, (int)rules, 0);
    close((int)rules);
}

/* the sanitizers look for leaks in a process that they fork */
#if defined(ARCH) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WORD(field) (offsetof(struct seccomp_data, field))
#define LOAD(at)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define ANSWER(v)   BPF_STMT(BPF_RET | BPF_K, (v))
/* the call is answered with the errno, and does nothing */
#define REFUSE(call, error)                                                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), ANSWER(SECCOMP_RET_ERRNO | (error))

static void forbid_calls(void)
{
    struct sock_filter filter[] = {
        LOAD(WORD(arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
        LOAD(WORD(nr)),
        REFUSE(SYS_execve, EPERM),
        REFUSE(SYS_execveat, EPERM),
#ifdef SYS_fork
        REFUSE(SYS_fork, EPERM),
        REFUSE(SYS_vfork, EPERM),
#endif
        REFUSE(SYS_clone3, ENOSYS), /* its flags cannot be seen; the C library then takes clone */
        REFUSE(SYS_socket, EPERM),
        REFUSE(SYS_ptrace, EPERM),
        REFUSE(SYS_process_vm_writev, EPERM),
        REFUSE(SYS_kill, EPERM),
        REFUSE(SYS_pidfd_send_signal, EPERM),
        /* clone makes threads only */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(WORD(args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {countof(filter), filter};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void forbid_calls(void) {}
#endif

void proc_confine(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return;
    forbid_files();
    forbid_calls();
}
