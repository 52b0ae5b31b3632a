// SPDX-License-Identifier: GPL-2.0-only
/*
 * vgpu: serve the PCOUNTER hardware model to QEMU as a PCI function.
 *
 * One process is one GPU. QEMU gets the other end of the socket pair:
 *	-device x-pci-proxy-dev,fd=N
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu.h"

/* Short enough that no register access has to wait long for the model to catch up. */
#define TICK_MS		5
#define MAX_HZ		1000000000ULL

/* Maximum size of a scenario file, in bytes. */
#define MAX_SCENARIO	65536

static void print_help(FILE *out)
{
	fputs("usage: vgpu --chip NAME --fd N [options]\n"
	      "  --chip NAME      nv40, g80, g84, g92, gt215, ... or 0x84\n"
	      "  --fd N           socket to QEMU (-device x-pci-proxy-dev,fd=...)\n"
	      "  --scenario FILE  signals and clocks, see Documentation/model.rst\n"
	      "  --control PATH   control socket\n"
	      "  --clock HZ       reference clock, default 1000000\n"
	      "  --freeze         time stands still until \"thaw\" or \"run N\"\n", out);
}

static int load_scenario(struct vgpu *gpu, const char *path)
{
	static char text[MAX_SCENARIO];
	char err[256] = "";
	size_t len;
	FILE *f;

	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "vgpu: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (len == sizeof(text)) {
		fprintf(stderr, "vgpu: %s: too long\n", path);
		return -E2BIG;
	}
	text[len] = 0;
	if (pcmodel_scenario(gpu->model, text, err, sizeof(err))) {
		fprintf(stderr, "vgpu: %s: %s\n", path, err);
		return -EINVAL;
	}
	return 0;
}

static int serve(struct vgpu *gpu)
{
	struct pollfd fds[2 + VGPU_CLIENTS];
	unsigned int i;
	int ret;

	for (;;) {
		fds[0] = (struct pollfd){ .fd = gpu->qemu_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = gpu->listen_fd, .events = POLLIN };
		for (i = 0; i < VGPU_CLIENTS; i++)
			fds[2 + i] = (struct pollfd){
				.fd = gpu->clients[i].fd,
				.events = POLLIN,
			};
		ret = poll(fds, 2 + VGPU_CLIENTS,
			   gpu->clock.frozen ? -1 : TICK_MS);
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret <= 0) {
			clock_follow(gpu, CLOCK_TICK_NS, 0);
			continue;
		}

		if (fds[0].revents) {
			ret = proxy_serve(gpu);
			if (ret)
				return ret == -EPIPE || ret == -ECONNRESET ? 0 : ret;
		}
		if (fds[1].revents)
			control_accept(gpu);
		for (i = 0; i < VGPU_CLIENTS; i++)
			if (fds[2 + i].revents)
				control_serve(gpu, &gpu->clients[i]);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "chip", required_argument, NULL, 'c' },
		{ "fd", required_argument, NULL, 'f' },
		{ "scenario", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'p' },
		{ "clock", required_argument, NULL, 'z' },
		{ "freeze", no_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	static struct vgpu gpu = { .qemu_fd = -1, .listen_fd = -1 };
	const char *scenario = NULL, *control = NULL, *chip = NULL;
	bool frozen = false;
	u64 hz = 1000000;
	int c, ret;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			chip = optarg;
			break;
		case 'f':
			gpu.qemu_fd = atoi(optarg);
			break;
		case 's':
			scenario = optarg;
			break;
		case 'p':
			control = optarg;
			break;
		case 'z':
			hz = strtoull(optarg, NULL, 0);
			break;
		case 'F':
			frozen = true;
			break;
		default:
			print_help(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (!chip || gpu.qemu_fd < 0 || !hz || hz > MAX_HZ || optind != argc) {
		print_help(stderr);
		return 2;
	}

	for (c = 0; c < VGPU_CLIENTS; c++)
		gpu.clients[c].fd = -1;
	gpu.model = calloc(1, sizeof(*gpu.model));
	gpu.chipset = pcmodel_find_chip(chip);
	if (!gpu.model || !gpu.chipset || pcmodel_init(gpu.model, gpu.chipset) ||
	    pci_init(&gpu)) {
		fprintf(stderr, "vgpu: no chip \"%s\" to serve\n", chip);
		return 1;
	}
	dma_init(&gpu);
	if (scenario && load_scenario(&gpu, scenario))
		return 1;
	if (control) {
		ret = control_open(&gpu, control);
		if (ret) {
			fprintf(stderr, "vgpu: %s: %s\n", control, strerror(-ret));
			return 1;
		}
	}

	clock_start(&gpu.clock, hz, frozen);
	ret = serve(&gpu);
	if (gpu.socket)
		unlink(gpu.socket);
	if (ret)
		fprintf(stderr, "vgpu: %s\n", strerror(-ret));
	free(gpu.model);
	return ret ? 1 : 0;
}
