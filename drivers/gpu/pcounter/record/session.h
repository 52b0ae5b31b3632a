/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How streams of record mode and their readers come and go. All functions may sleep.
 */
#ifndef _PCOUNTER_RECORD_SESSION_H
#define _PCOUNTER_RECORD_SESSION_H

#include <linux/types.h>

struct pcounter_gpu;
struct pcounter_ring;

#define PCOUNTER_READER_PAGES_MIN	16

int pcounter_record_get(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_record_put(struct pcounter_gpu *gpu, unsigned int dom);
int pcounter_record_lend(struct pcounter_gpu *gpu, unsigned int dom, bool share,
			 const struct pcounter_ring **ring);
int pcounter_reader_add(struct pcounter_gpu *gpu, unsigned int dom, void **pages,
			unsigned int nr_pages, bool overwrite, struct pcounter_ring **ring);
void pcounter_reader_del(struct pcounter_gpu *gpu, unsigned int dom,
			 struct pcounter_ring *ring);
void pcounter_record_stop_all(struct pcounter_gpu *gpu, int err);
void pcounter_record_allow(struct pcounter_gpu *gpu);

#endif
