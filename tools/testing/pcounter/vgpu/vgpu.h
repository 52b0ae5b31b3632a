/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual GPU: one process, one PCI function, one thread.
 *
 * proxy.c	speaks QEMU's x-pci-proxy-dev protocol
 * pci.c	configuration space and BAR 0, in front of the model
 * dma.c	guest memory, the destination of the model's packets
 * clock.c	time in cycles
 * control.c	the control socket
 */
#ifndef _VGPU_H
#define _VGPU_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "pcmodel.h"

#define VGPU_LINE	1024
#define VGPU_REPLY	16384
#define VGPU_CLIENTS	8

/*
 * Host time that the model may take to catch up: between accesses, and within an access,
 * for which the guest waits.
 */
#define CLOCK_TICK_NS	3000000ULL
#define CLOCK_ACCESS_NS	100000ULL

#define PCI_CONFIG_SIZE	256

/* Accesses of the guest that a correct driver avoids. */
struct vgpu_lint {
	u64 narrow;		/* BAR 0 access that is not 32 bits wide and aligned */
	u64 undecoded;		/* BAR 0 access with memory decoding off */
	u64 outside;		/* access beyond BAR 0 */
	u64 asleep;		/* BAR 0 access in D3 */
	u64 sleeps;		/* entries into D3: no complaint */
};

#define DMA_REGIONS	8

/* A piece of guest memory. */
struct vgpu_region {
	u64 gpa;
	u64 size;
	u8 *at;
};

/* Accesses of the device to guest memory, and failed ones. */
struct vgpu_dma {
	struct vgpu_region regions[DMA_REGIONS];
	u64 master_off;		/* accesses with bus mastering off */
	u64 nowhere;		/* accesses beside guest memory */
};

/* The reference clock. */
struct vgpu_clock {
	u64 hz;			/* reference cycles per second when it runs freely */
	u64 last_ns;		/* host time up to which it has run */
	u64 access_ns;		/* host time at which the last register access ended */
	u64 fraction;		/* remainder of a cycle, in 1/NSEC_PER_SEC */
	u64 behind;		/* cycles that it still has to run */
	u64 slipped;		/* cycles left out since the model could not keep up */
	u64 step;		/* cycles per register access while frozen */
	bool frozen;
};

struct vgpu_client {
	int fd;
	bool overlong;
	size_t len;
	char line[VGPU_LINE];
};

struct vgpu {
	struct pcmodel *model;
	u32 chipset;
	u16 device_id;
	u8 config[PCI_CONFIG_SIZE];
	struct vgpu_clock clock;
	struct vgpu_lint lint;
	struct vgpu_dma dma;
	int qemu_fd;
	int listen_fd;
	const char *socket;
	u32 slow_us;		/* extra time of each read of BAR 0 */
	u64 log_seen;		/* model->log_pos at the last "log" */
	struct vgpu_client clients[VGPU_CLIENTS];
	char reply[VGPU_REPLY];
};

/* clock.c */
void clock_start(struct vgpu_clock *clock, u64 hz, bool frozen);
void clock_follow(struct vgpu *gpu, u64 budget_ns, u64 least);
void clock_access(struct vgpu *gpu);
void clock_freeze(struct vgpu *gpu, bool frozen);

/* pci.c */
int pci_init(struct vgpu *gpu);
void pci_reset(struct vgpu *gpu);
u32 pci_config_read(struct vgpu *gpu, u32 offset, unsigned int len);
void pci_config_write(struct vgpu *gpu, u32 offset, u32 val, unsigned int len);
u64 pci_bar_read(struct vgpu *gpu, u64 addr, unsigned int size);
void pci_bar_write(struct vgpu *gpu, u64 addr, u64 val, unsigned int size);

bool pci_is_master(const struct vgpu *gpu);

/* dma.c */
void dma_init(struct vgpu *gpu);
void dma_sync(struct vgpu *gpu, const u64 gpa[], const u64 size[],
	      const s64 offset[], const int fds[], unsigned int n);

/* proxy.c */
int proxy_serve(struct vgpu *gpu);

/* control.c */
int control_open(struct vgpu *gpu, const char *path);
void control_accept(struct vgpu *gpu);
void control_serve(struct vgpu *gpu, struct vgpu_client *client);

#endif
