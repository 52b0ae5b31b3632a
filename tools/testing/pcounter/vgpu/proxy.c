// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU's side: the messages of its device x-pci-proxy-dev.
 *
 * Messages are in host byte order over a UNIX stream socket, one request at a
 * time. A header is followed by its payload; file descriptors ride on it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vgpu.h"

enum proxy_command {
	PROXY_SYNC_SYSMEM,
	PROXY_RET,
	PROXY_CONFIG_WRITE,
	PROXY_CONFIG_READ,
	PROXY_BAR_WRITE,
	PROXY_BAR_READ,
	PROXY_SET_IRQFD,
	PROXY_DEVICE_RESET,
};

#define PROXY_MAX_FDS	8

struct proxy_header {
	s32 command;
	u32 pad;
	u64 size;
};

struct proxy_config {
	u32 addr;
	u32 val;
	s32 len;
};

struct proxy_bar {
	u64 addr;
	u64 val;
	u32 size;
	u8 memory;
	u8 pad[3];
};

struct proxy_memory {
	u64 gpa[PROXY_MAX_FDS];
	u64 size[PROXY_MAX_FDS];
	s64 offset[PROXY_MAX_FDS];
};

union proxy_payload {
	struct proxy_memory memory;
	struct proxy_config config;
	struct proxy_bar bar;
	u64 ret;
	u8 raw[256];
};

/* Descriptors that came with a message. */
struct proxy_fds {
	unsigned int n;
	int fd[PROXY_MAX_FDS];
};

static void proxy_close_fds(struct proxy_fds *fds)
{
	while (fds->n)
		close(fds->fd[--fds->n]);
}

static void proxy_take_fds(struct msghdr *msg, struct proxy_fds *fds)
{
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int), i;
		int fd[PROXY_MAX_FDS];

		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS ||
		    n > PROXY_MAX_FDS)
			continue;
		memcpy(fd, CMSG_DATA(cmsg), n * sizeof(int));
		for (i = 0; i < n; i++) {
			if (fds->n < PROXY_MAX_FDS)
				fds->fd[fds->n++] = fd[i];
			else
				close(fd[i]);
		}
	}
}

static int proxy_read(int fd, void *buf, size_t len, struct proxy_fds *fds)
{
	char control[CMSG_SPACE(PROXY_MAX_FDS * sizeof(int))];

	while (len) {
		struct iovec iov = { .iov_base = buf, .iov_len = len };
		struct msghdr msg = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t got = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EPIPE;
		proxy_take_fds(&msg, fds);
		buf = (char *)buf + got;
		len -= got;
	}
	return 0;
}

static int proxy_reply(int fd, u64 val)
{
	struct {
		struct proxy_header header;
		u64 val;
	} msg = {
		.header = { .command = PROXY_RET, .size = sizeof(val) },
		.val = val,
	};
	const char *buf = (const char *)&msg;
	size_t len = sizeof(msg);

	while (len) {
		ssize_t put = send(fd, buf, len, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		buf += put;
		len -= put;
	}
	return 0;
}

static int proxy_request(struct vgpu *gpu, s32 command,
			 const union proxy_payload *p, const struct proxy_fds *fds)
{
	int fd = gpu->qemu_fd;

	switch (command) {
	case PROXY_SYNC_SYSMEM:
		dma_sync(gpu, p->memory.gpa, p->memory.size, p->memory.offset,
			 fds->fd, fds->n);
		return 0;
	case PROXY_SET_IRQFD:
		return 0;	/* these two need no answer; the device has no interrupt */
	case PROXY_CONFIG_READ:
		return proxy_reply(fd, pci_config_read(gpu, p->config.addr, p->config.len));
	case PROXY_CONFIG_WRITE:
		pci_config_write(gpu, p->config.addr, p->config.val, p->config.len);
		return proxy_reply(fd, 0);
	case PROXY_BAR_READ:
		return proxy_reply(fd, pci_bar_read(gpu, p->bar.addr, p->bar.size));
	case PROXY_BAR_WRITE:
		pci_bar_write(gpu, p->bar.addr, p->bar.val, p->bar.size);
		return proxy_reply(fd, 0);
	case PROXY_DEVICE_RESET:
		pci_reset(gpu);
		return proxy_reply(fd, 0);
	default:
		fprintf(stderr, "vgpu: unknown message %d of QEMU\n", command);
		return -EPROTO;
	}
}

/**
 * proxy_serve() - take one message from QEMU and answer it
 * @gpu:	the GPU
 *
 * Return: 0, -EPIPE when QEMU has gone, another negative error otherwise.
 */
int proxy_serve(struct vgpu *gpu)
{
	struct proxy_fds fds = { };
	union proxy_payload p;
	struct proxy_header h;
	int ret;

	ret = proxy_read(gpu->qemu_fd, &h, sizeof(h), &fds);
	if (!ret && h.size > sizeof(p))
		ret = -EPROTO;
	memset(&p, 0, sizeof(p));
	if (!ret)
		ret = proxy_read(gpu->qemu_fd, &p, h.size, &fds);
	if (!ret)
		ret = proxy_request(gpu, h.command, &p, &fds);
	proxy_close_fds(&fds);
	return ret;
}
