// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's AUX area: the GPU writes packets into it, and the driver tells perf how many
 * bytes have arrived. The event and its group have the packets of the domain for
 * themselves, and the driver does not count them.
 *
 * An event whose area is full is disabled; its reader makes room and enables it
 * again. perf should disable the event by itself, but some kernels (seen in
 * 6.12) only set event->pending_disable and do not check it in time.
 *
 * perf calls pcounter_aux_setup() and pcounter_aux_free() from mmap and munmap,
 * the latter mostly after it has stopped the event; all else runs on the events' CPU
 * with interrupts off, so that an area which is freed after a grace period
 * stays valid for code on that CPU.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "perf/glue.h"
#include "perf/types.h"
#include "record/record.h"

/**
 * struct pcounter_aux - an AUX area
 * @ppmu: the PMU, with a reference for this area
 * @d: the domain
 * @ring: its pages as the GPU knows them
 * @owner: the event for which it was made, NULL once the event is closed
 * @buffer: perf's buffer; the event may have another one by now
 * @bytes: bytes that have arrived and that perf does not know yet
 * @flags: PERF_AUX_FLAG_* for @bytes
 * @overrun: overwritten packets that were reported to perf
 * @gaps: restarts that were reported to perf
 * @full: the event is being disabled, since the area had no room
 */
struct pcounter_aux {
	struct pcounter_pmu *ppmu;
	struct pcounter_domain *d;
	struct pcounter_ring *ring;
	struct pcounter_event *owner;
	const void *buffer;
	u32 bytes;
	u64 flags;
	u64 overrun;
	u64 gaps;
	bool full;
};

static struct pcounter_aux *aux_locked(const struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);

	return rcu_dereference_protected(pe->aux, lockdep_is_held(&gpu->lock));
}

/* Return the stream of an area; NULL if the area was made for an earlier one, which is gone. */
static struct pcounter_stream *stream_of(const struct pcounter_aux *aux)
{
	struct pcounter_stream *s = aux->d->stream;

	return s && s->reader.ring == aux->ring ? s : NULL;
}

/* Return true if packets of the event go to its area, or do from the next commit on. */
static bool is_open(const struct pcounter_aux *aux)
{
	const struct pcounter_stream *s = stream_of(aux);

	return s && s->reader.open;
}

/* Return the number of events whose packets a leader's area gets, and that its group has. */
static unsigned int count_members(struct pcounter_event *leader)
{
	struct pcounter_base *base = leader->base;
	bool all = base->ppmu->gpu.record->ops->one_ring;
	struct pcounter_event *pe;
	unsigned int n = 0;

	guard(raw_spinlock_irqsave)(base->lock);
	list_for_each_entry(pe, &base->events, node)
		n += pe->event->group_leader == leader->event &&
		     pe->raw.set.mode == PCOUNTER_MODE_RECORD &&
		     (all || pe->raw.dom == leader->raw.dom);
	return n;
}

/**
 * pcounter_aux_setup() - let the GPU write to an AUX area that user space maps
 * @event: the event
 * @pages: pages of the area
 * @nr_pages: number of pages
 * @overwrite: old packets may be overwritten
 *
 * Return: the area, NULL if @event cannot have one.
 */
void *pcounter_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			 bool overwrite)
{
	struct pcounter_event *pe = to_pcounter_event(event);
	struct pcounter_pmu *ppmu = pe->base->ppmu;
	struct pcounter_aux *aux;

	if (PAGE_SIZE != PCOUNTER_VM_PAGE)
		return NULL;
	/* an event of another PMU may still map the first area of this event (SET_OUTPUT) */
	if (!pe->sample || event->group_leader != event || rcu_access_pointer(pe->aux))
		return NULL;
	aux = kzalloc(sizeof(*aux), GFP_KERNEL);
	if (!aux)
		return NULL;
	aux->ring = pcounter_reader_add(pcounter_domain_of(pe), pages, nr_pages, overwrite,
					count_members(pe));
	if (IS_ERR(aux->ring)) {
		dev_dbg(ppmu->base.parent, "%s: domain %u: no AUX area of %d pages: %pe\n",
			ppmu->base.name, pe->raw.dom, nr_pages, aux->ring);
		kfree(aux);
		return NULL;
	}
	/* perf's own references may be for an event of another PMU (SET_OUTPUT) */
	kref_get(&ppmu->base.kref);
	__module_get(ppmu->base.pmu.module);
	aux->ppmu = ppmu;
	aux->d = pcounter_domain_of(pe);
	aux->buffer = event->rb;
	aux->owner = pe;
	guard(raw_spinlock_irqsave)(&ppmu->gpu.lock);
	rcu_assign_pointer(pe->aux, aux);
	return aux;
}

/**
 * pcounter_aux_free() - free an AUX area that is not mapped any more
 * @data: the area from pcounter_aux_setup()
 */
void pcounter_aux_free(void *data)
{
	struct pcounter_aux *aux = data;
	struct pcounter_gpu *gpu = &aux->ppmu->gpu;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		if (aux->owner) {
			RCU_INIT_POINTER(aux->owner->aux, NULL);
			aux->owner->disable = false;
		}
	synchronize_rcu();
	/* the lease ends with the last event, and registers need a reference */
	scoped_guard(srcu, &pcounter_lease_srcu) {
		CLASS(pcounter_ref, ref)(gpu);

		pcounter_reader_del(aux->d, aux->ring);
	}
	pcounter_base_put_later(&aux->ppmu->base);
	kfree(aux);
}

/**
 * pcounter_aux_forget() - detach an event that is being closed from its AUX area
 * @pe: the event; gpu->lock is held
 */
void pcounter_aux_forget(struct pcounter_event *pe)
{
	struct pcounter_aux *aux = aux_locked(pe);

	if (aux)
		aux->owner = NULL;
	RCU_INIT_POINTER(pe->aux, NULL);
}

/* Return true if perf has not given the event another buffer. */
static bool is_attached(const struct pcounter_aux *aux, const struct pcounter_event *pe)
{
	return READ_ONCE(pe->event->rb) == aux->buffer;
}

/*
 * Report to perf all packets that have been read, and return the area's position and free
 * part. Return false if nothing is free, or if perf is about to free the area.
 *
 * perf's handle is in use for this moment only, with interrupts off. perf stops events
 * before it frees an area, but misses an event whose buffer has changed while perf rotated
 * events (seen in 6.12). If a handle of that event were open, its end would free the area.
 * To stop any other event of the buffer perf interrupts this CPU, and so waits for the end.
 */
static bool aux_report(struct pcounter_aux *aux, struct pcounter_event *pe, u64 *head,
		       u64 *room)
{
	struct perf_output_handle handle;
	void *area = perf_aux_output_begin(&handle, pe->event);

	if (!area)
		return false;
	/* the buffer has changed just now */
	if (area != aux) {
		perf_aux_output_end(&handle, 0);
		return false;
	}
	handle.head += aux->bytes;
	*head = handle.head;
	/* the reader may take room back */
	*room = handle.size > aux->bytes ? handle.size - aux->bytes : 0;
	perf_aux_output_flag(&handle, aux->flags);
	perf_aux_output_end(&handle, aux->bytes);
	aux->bytes = 0;
	aux->flags = 0;
	return true;
}

/*
 * Give the GPU no more room. Bytes that perf has refused stay in the area until its next
 * report, so that perf and the stream agree on the position.
 */
static void aux_close(struct pcounter_aux *aux)
{
	/* aux_open() looks for room again */
	aux->flags &= ~(u64)PERF_AUX_FLAG_TRUNCATED;
	if (is_open(aux))
		aux->d->stream->reader.open = false;
}

static void note_full(struct pcounter_aux *aux, struct pcounter_event *pe)
{
	aux->full = true;
	pcounter_base_disable(pe);
}

/* Report packets, and give the GPU the part of the area that perf says is free. */
static bool aux_open(struct pcounter_aux *aux, struct pcounter_event *pe)
{
	struct pcounter_stream *s = stream_of(aux);
	bool going = pcounter_reader_runs(s) && !aux->full;
	bool full = is_open(aux) && pcounter_reader_is_full(s);
	u64 head, room;

	if (!is_attached(aux, pe))
		return false;
	if (full)
		aux->flags |= PERF_AUX_FLAG_TRUNCATED;
	if (!aux_report(aux, pe, &head, &room)) {
		/* the reader has read nothing, or the area is about to be freed */
		if (aux->full)
			note_full(aux, pe);
		return false;
	}
	/* the GPU has left: these were the last bytes */
	if (!s)
		return false;
	if (aux->ring->overwrite)
		room = U32_MAX;
	if (!full && !going && room < PCOUNTER_READER_ROOM_MIN) {
		full = true;
		aux->flags = PERF_AUX_FLAG_TRUNCATED;
		aux_report(aux, pe, &head, &room);
	}
	if (full)
		note_full(aux, pe);
	else
		pcounter_reader_start(s, head, room);
	return !full;
}

/**
 * pcounter_aux_start() - let packets go to the area of an event that starts
 * @pe: the event; gpu->lock is held
 */
void pcounter_aux_start(struct pcounter_event *pe)
{
	struct pcounter_aux *aux = aux_locked(pe);

	if (!aux || is_open(aux) || !aux_open(aux, pe))
		return;
	aux->full = false;
	pe->disable = false;
	pcounter_domain_want(aux->d, PCOUNTER_WANT_COMMIT);
}

/* Take new bytes and losses of an open area; return true if perf does not know some. */
static bool aux_read(struct pcounter_aux *aux)
{
	struct pcounter_stream *s = stream_of(aux);

	aux->bytes += pcounter_reader_give(s);
	if (s->loss.gaps != aux->gaps)
		aux->flags |= PERF_AUX_FLAG_PARTIAL;
	if (s->loss.overrun != aux->overrun)
		aux->flags |= PERF_AUX_FLAG_COLLISION;
	aux->gaps = s->loss.gaps;
	aux->overrun = s->loss.overrun;
	return aux->bytes || aux->flags;
}

/**
 * pcounter_aux_stop() - report packets of an event that stops, and end the use of its area
 * @pe: the event; gpu->lock is held
 *
 * Changes nothing if the event is added again in the same reschedule.
 */
void pcounter_aux_stop(struct pcounter_event *pe)
{
	struct pcounter_aux *aux = aux_locked(pe);
	u64 head, room;

	if (!aux)
		return;
	if (is_open(aux)) {
		aux_read(aux);
		if (is_attached(aux, pe))
			aux_report(aux, pe, &head, &room);
		aux_close(aux);
	}
	/* perf may be about to free the area: the GPU leaves it */
	if (pcounter_reader_runs(aux->d->stream))
		pcounter_domain_want(aux->d, PCOUNTER_WANT_COMMIT);
}

/**
 * pcounter_aux_read() - take the packets that have arrived in an event's area
 * @pe: an event
 *
 * Return: true if pcounter_aux_publish() has packets or loss flags to report to perf.
 */
bool pcounter_aux_read(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);
	struct pcounter_aux *aux;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	aux = aux_locked(pe);
	return aux && is_open(aux) && aux_read(aux);
}

/**
 * pcounter_aux_publish() - report packets to perf, and give the GPU the free part of the area
 * @pe: an event
 */
void pcounter_aux_publish(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);
	struct pcounter_aux *aux;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	aux = aux_locked(pe);
	if (!aux)
		return;
	if (is_open(aux)) {
		/* there is no room, or perf has begun to free the area */
		if (!aux_open(aux, pe))
			aux_close(aux);
	} else if (!aux->full && !(pe->event->hw.state & PERF_HES_STOPPED) &&
		   aux_open(aux, pe)) {
		/* the reader's tail was invalid for a while */
		pcounter_domain_want(aux->d, PCOUNTER_WANT_COMMIT);
	}
}
