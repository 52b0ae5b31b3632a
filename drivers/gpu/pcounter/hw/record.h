/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What record mode asks of registers that a layout (hw/layout.h) has no operation
 * for: only G84:GF100 have them. Nothing here takes a lock or looks whether the GPU
 * is awake.
 */
#ifndef _PCOUNTER_HW_RECORD_H
#define _PCOUNTER_HW_RECORD_H

#include <linux/types.h>

struct pcounter_io;

/* Numbers of engines, for TLB flushes (hw:memory/tlb). */
#define G80_VM_ENGINE_PGRAPH	0x0
#define G80_VM_ENGINE_PCOUNTER	0xb

bool pcounter_ctrl_records(struct pcounter_io *io, unsigned int block, u32 *config);
u32 pcounter_ctrl_in_quad(u32 config);
void pcounter_ctrl_write(struct pcounter_io *io, unsigned int block, u32 config);
bool pcounter_ctrl_reset(struct pcounter_io *io, bool hold);
bool pcounter_status_dead(u32 status);
bool pcounter_status_fault(u32 status);
u32 pcounter_status_position(u32 status);

u32 pcounter_tlb_pd_offset(struct pcounter_io *io);
bool pcounter_tlb_flush(struct pcounter_io *io, u32 engine, u32 *state);
u32 pcounter_tlb_state(struct pcounter_io *io);
bool pcounter_tlb_busy(u32 state);
u32 pcounter_tlb_engine(u32 state);

#endif
