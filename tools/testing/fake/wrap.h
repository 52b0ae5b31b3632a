/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements of calls of the C library that the linker puts in (--wrap), and
 * declarations of the real calls.
 */
#ifndef _TESTING_FAKE_WRAP_H
#define _TESTING_FAKE_WRAP_H

#include <dirent.h>
#include <libkmod.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
int __real_access(const char *path, int mode);
DIR *__real_opendir(const char *path);
int __real_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
ssize_t __real_readlink(const char *path, char *buf, size_t len);
int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_access(const char *path, int mode);
DIR *__wrap_opendir(const char *path);
int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
ssize_t __wrap_readlink(const char *path, char *buf, size_t len);
long __real_syscall(long number, ...);
ssize_t __real_read(int fd, void *buf, size_t len);
int __real_close(int fd);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);
long __wrap_syscall(long number, ...);
cap_t __wrap_cap_get_proc(void);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_read(int fd, void *buf, size_t len);
int __wrap_close(int fd);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *left, const sigset_t *mask);
pid_t __real_fork(void);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *left, const sigset_t *mask);
pid_t __wrap_fork(void);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_usleep(useconds_t us);
int __wrap_uname(struct utsname *name);
int __real_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv, char *const *env);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv, char *const *env);
struct kmod_ctx *__real_kmod_new(const char *folder, const char *const *config);
struct kmod_ctx *__wrap_kmod_new(const char *folder, const char *const *config);

#endif
