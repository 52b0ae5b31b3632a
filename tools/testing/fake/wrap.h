/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements of calls of the C library that the linker puts in (--wrap), and
 * declarations of the real calls.
 */
#ifndef _TESTING_FAKE_WRAP_H
#define _TESTING_FAKE_WRAP_H

#include <dirent.h>
#include <fcntl.h>
#include <libkmod.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

typeof(geteuid) __real_geteuid, __wrap_geteuid;
typeof(open) __real_open, __wrap_open;
typeof(fopen) __real_fopen, __wrap_fopen;
typeof(access) __real_access, __wrap_access;
typeof(opendir) __real_opendir, __wrap_opendir;
typeof(scandir) __real_scandir, __wrap_scandir;
typeof(readlink) __real_readlink, __wrap_readlink;
typeof(syscall) __real_syscall, __wrap_syscall;
typeof(read) __real_read, __wrap_read;
typeof(close) __real_close, __wrap_close;
typeof(mmap) __real_mmap, __wrap_mmap;
typeof(munmap) __real_munmap, __wrap_munmap;
typeof(cap_get_proc) __wrap_cap_get_proc;
typeof(ioctl) __wrap_ioctl;
/* the C library declares that it writes to the descriptors */
int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *left, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *left, const sigset_t *mask);
typeof(fork) __real_fork, __wrap_fork;
typeof(clock_gettime) __wrap_clock_gettime;
typeof(usleep) __wrap_usleep;
typeof(uname) __wrap_uname;
typeof(posix_spawn) __real_posix_spawn, __wrap_posix_spawn;
typeof(kmod_new) __real_kmod_new, __wrap_kmod_new;

#endif
