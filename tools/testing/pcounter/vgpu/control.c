// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control socket: a line in, a line out, "ok ..." or "error ...". This file handles
 * time and the access log; everything else goes to the model's own scenario language.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vgpu.h"

#define LOG_SIZE	(sizeof(((struct pcmodel *)0)->log) / \
			 sizeof(((struct pcmodel *)0)->log[0]))

static int reply(struct vgpu *gpu, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(gpu->reply, sizeof(gpu->reply), fmt, ap);
	va_end(ap);
	return 0;
}

static bool parse_u64(const char *s, u64 *val)
{
	char *end;

	errno = 0;
	*val = strtoull(s, &end, 0);
	return *s >= '0' && *s <= '9' && !*end && !errno;
}

static int do_freeze(struct vgpu *gpu, const char *arg)
{
	clock_freeze(gpu, true);
	return 0;
}

static int do_thaw(struct vgpu *gpu, const char *arg)
{
	clock_freeze(gpu, false);
	return 0;
}

static int do_run(struct vgpu *gpu, const char *arg)
{
	u64 cycles;

	if (!parse_u64(arg, &cycles))
		return -EINVAL;
	pcmodel_run(gpu->model, cycles);
	return 0;
}

static int do_step(struct vgpu *gpu, const char *arg)
{
	return parse_u64(arg, &gpu->clock.step) ? 0 : -EINVAL;
}

static int do_slow(struct vgpu *gpu, const char *arg)
{
	u64 us;

	if (!parse_u64(arg, &us) || us > 100000)
		return -EINVAL;
	gpu->slow_us = us;
	return 0;
}

static int do_time(struct vgpu *gpu, const char *arg)
{
	const struct vgpu_clock *clock = &gpu->clock;

	return reply(gpu, "%s hz=%llu step=%llu slipped=%llu",
		     clock->frozen ? "frozen" : "running",
		     (unsigned long long)clock->hz,
		     (unsigned long long)clock->step,
		     (unsigned long long)clock->slipped);
}

static int do_lint(struct vgpu *gpu, const char *arg)
{
	return reply(gpu, "narrow=%llu undecoded=%llu outside=%llu asleep=%llu sleeps=%llu",
		     (unsigned long long)gpu->lint.narrow,
		     (unsigned long long)gpu->lint.undecoded,
		     (unsigned long long)gpu->lint.outside,
		     (unsigned long long)gpu->lint.asleep,
		     (unsigned long long)gpu->lint.sleeps);
}

/* Report DMA errors outside the model; the model's own "dma" command reports the others. */
static int do_bus(struct vgpu *gpu, const char *arg)
{
	return reply(gpu, "master_off=%llu nowhere=%llu",
		     (unsigned long long)gpu->dma.master_off,
		     (unsigned long long)gpu->dma.nowhere);
}

/*
 * Report the register accesses since the last "log", oldest first: their number, then
 * the latest ones that the model still has.
 */
static int do_log(struct vgpu *gpu, const char *arg)
{
	const struct pcmodel *m = gpu->model;
	u64 pos = gpu->log_seen;
	size_t len;

	len = snprintf(gpu->reply, sizeof(gpu->reply), "%llu",
		       (unsigned long long)(m->log_pos - pos));
	if (m->log_pos - pos > LOG_SIZE)
		pos = m->log_pos - LOG_SIZE;
	for (; pos < m->log_pos && len < sizeof(gpu->reply) - 32; pos++) {
		const struct pcmodel_access *a = &m->log[pos % LOG_SIZE];

		len += sprintf(gpu->reply + len, " %c:%06x=%08x",
			       a->write ? 'w' : 'r', a->addr, a->val);
	}
	gpu->log_seen = m->log_pos;
	return 0;
}

static const struct {
	const char *name;
	int (*func)(struct vgpu *gpu, const char *arg);
} commands[] = {
	{ "freeze", do_freeze },
	{ "thaw", do_thaw },
	{ "run", do_run },
	{ "step", do_step },
	{ "slow", do_slow },
	{ "time", do_time },
	{ "lint", do_lint },
	{ "log", do_log },
	{ "bus", do_bus },
};

static int control_command(struct vgpu *gpu, char *line)
{
	size_t word = strcspn(line, " \t");
	unsigned int i;

	gpu->reply[0] = 0;
	clock_follow(gpu, CLOCK_TICK_NS, 0);

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const char *arg = line + word + strspn(line + word, " \t");

		if (strlen(commands[i].name) == word &&
		    !strncmp(line, commands[i].name, word))
			return commands[i].func(gpu, arg);
	}
	return pcmodel_command(gpu->model, line, gpu->reply, sizeof(gpu->reply));
}

/* Drop a client that does not read its replies. */
static void control_close(struct vgpu_client *client)
{
	close(client->fd);
	client->fd = -1;
}

static void control_answer(struct vgpu_client *client, const char *status,
			   char *text)
{
	char out[VGPU_REPLY + 16];
	char *c;
	int len;

	for (c = text; *c; c++)
		if (*c == '\n')
			*c = c[1] ? ';' : ' ';
	len = snprintf(out, sizeof(out), "%s%s%s\n", status, *text ? " " : "", text);
	if (send(client->fd, out, len, MSG_NOSIGNAL | MSG_DONTWAIT) != len)
		control_close(client);
}

static void control_line(struct vgpu *gpu, struct vgpu_client *client)
{
	char *line = client->line + strspn(client->line, " \t\r");
	size_t len = strlen(line);

	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = 0;
	if (!len)
		return;

	if (control_command(gpu, line)) {
		if (!gpu->reply[0])
			reply(gpu, "bad argument");
		control_answer(client, "error", gpu->reply);
	} else {
		control_answer(client, "ok", gpu->reply);
	}
}

/**
 * control_serve() - read and execute a client's commands
 * @gpu:	the GPU
 * @client:	a client whose descriptor is readable
 */
void control_serve(struct vgpu *gpu, struct vgpu_client *client)
{
	char buf[VGPU_LINE];
	ssize_t got = recv(client->fd, buf, sizeof(buf), MSG_DONTWAIT), i;

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		control_close(client);
		return;
	}

	for (i = 0; i < got && client->fd >= 0; i++) {
		if (buf[i] != '\n') {
			if (client->len < sizeof(client->line) - 1)
				client->line[client->len++] = buf[i];
			else
				client->overlong = true;
			continue;
		}
		client->line[client->len] = 0;
		if (client->overlong) {
			reply(gpu, "line too long");
			control_answer(client, "error", gpu->reply);
		} else {
			control_line(gpu, client);
		}
		client->len = 0;
		client->overlong = false;
	}
}

/**
 * control_accept() - accept a new client
 * @gpu:	the GPU
 */
void control_accept(struct vgpu *gpu)
{
	int fd = accept(gpu->listen_fd, NULL, NULL);
	unsigned int i;

	for (i = 0; fd >= 0 && i < VGPU_CLIENTS; i++) {
		struct vgpu_client *client = &gpu->clients[i];

		if (client->fd >= 0)
			continue;
		client->fd = fd;
		client->len = 0;
		client->overlong = false;
		return;
	}
	if (fd >= 0)
		close(fd);
}

/**
 * control_open() - listen on the control socket
 * @gpu:	the GPU
 * @path:	path of the socket; an existing file is replaced
 *
 * Return: 0 or a negative error.
 */
int control_open(struct vgpu *gpu, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path) + 1);
	gpu->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (gpu->listen_fd < 0)
		return -errno;
	unlink(path);
	if (bind(gpu->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(gpu->listen_fd, VGPU_CLIENTS))
		return -errno;
	gpu->socket = path;
	return 0;
}
