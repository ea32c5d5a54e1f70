#include "analyse/advise/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/count.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#else
#define IS_SANITIZED 0
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef ARCHITECTURE

bool wl_confine_process(void)
{
    return false;
}

#else

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)
/* Goes on with the next, or ends the process if the value is another. */
#define NEEDS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0), END(SECCOMP_RET_KILL_PROCESS)
#define ALLOWS(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), END(SECCOMP_RET_ALLOW)

bool wl_confine_process(void)
{
    static struct sock_filter filter[] = {
        LOAD(arch),
        NEEDS(ARCHITECTURE),
        LOAD(nr),
        ALLOWS(SYS_write),
        ALLOWS(SYS_read),
        ALLOWS(SYS_exit),
        ALLOWS(SYS_exit_group),
        ALLOWS(SYS_brk),
        ALLOWS(SYS_munmap),
        ALLOWS(SYS_mremap),
        ALLOWS(SYS_madvise),
        ALLOWS(SYS_mprotect),
        ALLOWS(SYS_futex),
        ALLOWS(SYS_getrandom),
        ALLOWS(SYS_clock_gettime),
        ALLOWS(SYS_sysinfo), /* the C library's qsort */
        ALLOWS(SYS_setitimer),
        ALLOWS(SYS_rt_sigreturn),
        ALLOWS(SYS_restart_syscall),
        NEEDS(SYS_mmap), /* of no file */
        LOAD(args[4]),
        NEEDS(UINT32_MAX),
        END(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {WL_COUNT(filter), filter};
    return !IS_SANITIZED && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#endif
