/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of record mode, of G84:GF100 and of GF100 and later. The caller holds the
 * lock and keeps the GPU awake.
 */
#ifndef _PCOUNTER_HW_RECORD_H
#define _PCOUNTER_HW_RECORD_H

#include <linux/bits.h>
#include <linux/types.h>

struct pcounter_block;
struct pcounter_io;

/* RECORD_CHAN, RECORD_DMA, RECORD_STATUS (hw:registers/nv40) */
#define NV40_RECORD_CHAN		0x00a7a0
#define   NV40_RECORD_CHAN_VALID	BIT(31)
#define NV40_RECORD_DMA			0x00a7a4
#define NV40_RECORD_STATUS_FAULT	BIT(0)
#define NV40_RECORD_STATUS_POSITION	GENMASK(31, 4)

/* The MMU of G80:GF100 (hw:memory/channel, hw:memory/tlb) */
#define G80_VM_FLUSH			0x100c80
#define   G80_VM_FLUSH_BUSY		BIT(0)
#define   G80_VM_FLUSH_ENGINE		GENMASK(31, 16)
#define G84_VM_PD_OFFSET		0x100c9c

/* Numbers of engines for TLB flushes (hw:memory/tlb). */
#define G80_VM_ENGINE_PGRAPH	0x0
#define G80_VM_ENGINE_PCOUNTER	0xb

/* The unit that writes records, and the MMU, GF100- (hw:stream/registers, hw:memory/gf100-tlb) */
#define GF100_RECORD_CTRL		0x1b4000
#define   GF100_RECORD_CTRL_OVERFLOWED	BIT(4)
#define   GF100_RECORD_CTRL_CLEAR	BIT(5)
#define GF100_RECORD_CHAN		0x1b4070	/* fields as NV40_RECORD_CHAN */
#define GF100_RECORD_START		0x1b4074
#define GF100_RECORD_HIGH		0x1b4078
#define GF100_RECORD_SIZE		0x1b407c
#define GF100_RECORD_BYTES		0x1b4084
#define GF100_RECORD_BUMP		0x1b4088
#define GF100_RECORD_STATUS		0x1b40a4
#define   GF100_RECORD_STATUS_STATE	GENMASK(2, 0)
#define     GF100_RECORD_FAULTED	6
#define   GF100_RECORD_STATUS_EMPTY	BIT(4)
#define GF100_VM_QUEUE			0x100c80
#define   GF100_VM_QUEUE_HALF		BIT(0)	/* an entry of a directory has 64 MiB */
#define   GF100_VM_QUEUE_EMPTY		BIT(15)
#define   GF100_VM_QUEUE_FREE		GENMASK(23, 16)
#define GF100_VM_FLUSH			0x100cbc
#define   GF100_VM_FLUSH_ALL		0x80000007	/* all pages and directories, hub only */

bool pcounter_ctrl_records(const struct pcounter_block *b, u32 *config);
u32 pcounter_ctrl_in_quad(const struct pcounter_block *b, u32 config);
bool pcounter_ctrl_reset(struct pcounter_io *io, bool hold);
bool pcounter_status_fault(u32 status);
void pcounter_record_bind(struct pcounter_io *io, u32 chan, u32 dma);

#endif
