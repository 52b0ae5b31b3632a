// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the streams of record mode and their readers come and go: memory, address space,
 * channel. All of it happens when events are opened and closed, or an AUX area is mapped
 * and unmapped, and may sleep.
 *
 * A fault lasts until a reset of the GPU, so every page that the position can reach stays
 * mapped until the domain has left record mode and its last packet has arrived. Pages are
 * unmapped and the TLB is flushed before they are freed.
 */
#include <linux/bits.h>
#include <linux/dev_printk.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/record.h"
#include "params.h"
#include "record/memory.h"

#define RING_KB_MIN		64U
#define RING_KB_MAX		4096U
/* At the end, packets are read in pieces; a ring of the largest kind has fewer pieces. */
#define READ_ROUNDS		10000

/* ---- streams ---- */

/* Return a stream of the GPU other than this one, where all have one ring; or NULL. */
static struct pcounter_stream *other_stream(const struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	unsigned int i;

	for (i = 0; gpu->record->ops->one_ring && i < gpu->topo.nr; i++)
		if (i != d->index && gpu->dom[i].stream)
			return gpu->dom[i].stream;
	return NULL;
}

/* Get a ring of the driver's for a stream. */
static struct pcounter_ring *get_own(struct pcounter_domain *d)
{
	unsigned int kb = clamp(pcounter_record_ring_kb, RING_KB_MIN, RING_KB_MAX);
	const struct pcounter_stream *other = other_stream(d);

	return other ? other->own :
	       pcounter_ring_alloc(d, NULL, rounddown_pow_of_two(kb) * 1024 / PCOUNTER_VM_PAGE);
}

static void put_own(struct pcounter_domain *d, struct pcounter_stream *s)
{
	if (other_stream(d))
		return;
	pcounter_ring_put_pages(d->gpu, s->own);
	kvfree(s->own);
}

/* Make the stream of a domain, in the channel. */
static int stream_alloc(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_record *r = gpu->record;
	struct pcounter_stream *s = kvzalloc(struct_size(s, box, r->ops->box_words), GFP_KERNEL);
	struct pcounter_ring *own;

	if (!s)
		return -ENOMEM;
	own = get_own(d);
	if (IS_ERR(own)) {
		kvfree(s);
		return PTR_ERR(own);
	}
	s->own = own;
	s->d = d;
	s->ring = s->own;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	d->stream = s;
	/* the GPU was reset while the stream was being made */
	if (r->channel == PCOUNTER_CHANNEL_RESET)
		pcounter_stream_fault_all(gpu);
	return 0;
}

static int stream_open(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_record *r = gpu->record;
	int err;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		if (r->channel == PCOUNTER_CHANNEL_STUCK || d->wedged)
			return -EIO;
	err = pcounter_channel_alloc(gpu);
	if (err)
		return err;
	err = stream_alloc(d);
	if (err)
		pcounter_channel_free(gpu);
	return err;
}

static void stream_close(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_stream *s = d->stream;
	u32 status;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		pcounter_record_stop(s);
	status = pcounter_channel_wait(d);
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		WRITE_ONCE(d->stream, NULL);
		if (pcounter_status_fault(status))
			d->wedged = true;
	}
	/* where all domains share it, it goes with the stream of the reader's domain */
	if (!gpu->record->ops->one_ring || gpu->record->reader == s)
		pcounter_ring_put_pages(gpu, s->reader.ring);
	if (gpu->record->reader == s)
		gpu->record->reader = NULL;
	put_own(d, s);
	kvfree(s);
	pcounter_channel_free(gpu);
}

/* ---- references ---- */

/**
 * pcounter_record_get() - get a reference to the stream of a domain
 * @d: the domain
 *
 * The first reference makes the stream. The GPU is kept awake until the last one is
 * dropped, but never woken.
 *
 * Return: 0; -EOPNOTSUPP without DMA, or for a second domain where records do not tell
 * which one is theirs; -EAGAIN if the GPU or the system sleeps;
 * -EBUSY if a reader has the packets, or another driver records; -EIO if the GPU cannot,
 * or was reset while other events are still open; -ENODEV if it has left; -ENOMEM.
 */
int pcounter_record_get(struct pcounter_domain *d)
{
	struct pcounter_record *r = d->gpu->record;
	const struct pcounter_stream *other;
	int err;

	guard(mutex)(&r->mutex);
	/* @io is not there any more when the GPU has left */
	if (r->closed)
		return r->closed;
	if (!d->gpu->io->ops->dma)
		return -EOPNOTSUPP;
	if (READ_ONCE(r->channel) == PCOUNTER_CHANNEL_RESET)
		return -EIO;
	other = d->stream ?: other_stream(d);
	if (other && other->reader.ring)
		return -EBUSY;
	/* the records of another domain would look the same */
	if (other_stream(d) && r->no_ids)
		return -EOPNOTSUPP;
	err = d->stream ? 0 : stream_open(d);
	if (err)
		return err;
	d->stream_refs++;
	return 0;
}

static void put_stream(struct pcounter_domain *d)
{
	if (!--d->stream_refs && d->stream)
		stream_close(d);
}

/**
 * pcounter_record_put() - put a reference by pcounter_record_get()
 * @d: the domain
 *
 * The last reference frees the stream.
 */
void pcounter_record_put(struct pcounter_domain *d)
{
	guard(mutex)(&d->gpu->record->mutex);
	put_stream(d);
}

/* ---- readers: another ring of a domain, of pages of an AUX area ---- */

/* Return the references to all streams whose packets a reader of a domain's gets. */
static unsigned int count_refs(const struct pcounter_domain *d)
{
	const struct pcounter_gpu *gpu = d->gpu;
	unsigned int i, refs = 0;

	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->record->ops->one_ring || i == d->index)
			refs += gpu->dom[i].stream_refs;
	return refs;
}

/* Let a reader's ring replace the driver's, of all domains where they share it. */
static void set_reader(struct pcounter_domain *d, struct pcounter_ring *ring)
{
	struct pcounter_gpu *gpu = d->gpu;
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	r->reader = d->stream;
	for (i = 0; i < gpu->topo.nr; i++) {
		struct pcounter_stream *s = gpu->dom[i].stream;

		if (!s || (i != d->index && !r->ops->one_ring))
			continue;
		s->reader.ring = ring;
		if (!r->ops->one_ring)
			continue;
		s->ring = ring;
		memset(&s->w, 0, sizeof(s->w));
		if (pcounter_stream_runs(s))
			pcounter_domain_want(s->d, PCOUNTER_WANT_COMMIT);
	}
}

/**
 * pcounter_reader_add() - let all packets of a domain go to a reader's pages
 * @d: the domain; events of it are open
 * @pages: CPU addresses of the pages
 * @nr_pages: number of pages, a power of 2
 * @overwrite: old packets may be overwritten
 * @members: number of events that the reader has there
 *
 * Return: the ring, for pcounter_reader_del(); or an ERR_PTR(): -EINVAL for a wrong number
 * of pages; -EBUSY if there is a reader, or events of others count the packets; -EOPNOTSUPP
 * if packets cannot be overwritten; -EIO if the GPU cannot; -EAGAIN, -ENODEV as
 * pcounter_record_get(); -ENOMEM.
 */
struct pcounter_ring *pcounter_reader_add(struct pcounter_domain *d, void **pages,
					  unsigned int nr_pages, bool overwrite,
					  unsigned int members)
{
	struct pcounter_record *r = d->gpu->record;
	struct pcounter_ring *ring;

	if (nr_pages < PCOUNTER_READER_PAGES_MIN || nr_pages > PCOUNTER_VM_HALF ||
	    !is_power_of_2(nr_pages))
		return ERR_PTR(-EINVAL);
	guard(mutex)(&r->mutex);
	if (r->closed)
		return ERR_PTR(r->closed);
	if (!d->stream || READ_ONCE(r->channel) != PCOUNTER_CHANNEL_BOUND)
		return ERR_PTR(-EIO);
	if (d->stream->reader.ring || count_refs(d) != members)
		return ERR_PTR(-EBUSY);
	if (r->ops->one_ring && overwrite)
		return ERR_PTR(-EOPNOTSUPP);
	ring = pcounter_ring_alloc(d, pages, nr_pages);
	if (IS_ERR(ring))
		return ring;
	ring->overwrite = overwrite;
	/* the stream stays as long as the reader's ring */
	d->stream_refs++;
	guard(raw_spinlock_irqsave)(&d->gpu->lock);
	set_reader(d, ring);
	return ring;
}

static void stop_reader(struct pcounter_stream *s)
{
	/* perf has freed the area before it stopped the event */
	if (pcounter_reader_runs(s) && pcounter_domain_counts(s->d))
		pcounter_domain_fault(s->d, PCOUNTER_FAULT_RECORD_LOST);
	/* other members of the group begin to count */
	if (pcounter_stream_runs(s))
		pcounter_domain_want(s->d, PCOUNTER_WANT_COMMIT);
	/* a full area, from which the domain was to start again, has it in record mode, too */
	pcounter_record_stop(s);
	s->ring = s->own;
	memset(&s->reader, 0, sizeof(s->reader));
	if (s->d->gpu->record->ops->one_ring)
		memset(&s->w, 0, sizeof(s->w));
}

/* Let the GPU leave a reader's ring, but for a packet that is on its way. */
static void leave_reader(struct pcounter_gpu *gpu, const struct pcounter_ring *ring)
{
	unsigned int i;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].stream && gpu->dom[i].stream->reader.ring == ring)
			stop_reader(gpu->dom[i].stream);
	gpu->record->reader = NULL;
}

/**
 * pcounter_reader_del() - remove a reader's ring
 * @d: the domain
 * @ring: the ring by pcounter_reader_add(); is freed
 *
 * When it returns, the GPU does not know the pages any more, or they are never freed.
 */
void pcounter_reader_del(struct pcounter_domain *d, struct pcounter_ring *ring)
{
	struct pcounter_record *r = d->gpu->record;

	guard(mutex)(&r->mutex);
	/* the stream may have been stopped in between */
	if (d->stream && d->stream->reader.ring == ring) {
		leave_reader(d->gpu, ring);
		pcounter_channel_wait(d);
		pcounter_ring_put_pages(d->gpu, ring);
	}
	kvfree(ring);
	put_stream(d);
}

/* ---- the end ---- */

/* Read the packets of a domain that is about to stop, with the lock released in between. */
static void read_rest(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	bool more = true;
	unsigned int i;

	for (i = 0; more && i < READ_ROUNDS; i++) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		more = pcounter_record_drain(d->stream);
	}
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);
	if (awake)
		pcounter_record_force(d);
	pcounter_record_drain(d->stream);
	pcounter_domain_fault(d, PCOUNTER_FAULT_RECORD_LOST);
	pcounter_record_stop(d->stream);
}

/**
 * pcounter_record_stop_all() - stop all streams and free their memory
 * @gpu: the GPU; its registers can still be reached
 * @err: -ENODEV if it leaves, -EAGAIN if the system goes to sleep; events are refused
 *	with this from now on
 */
void pcounter_record_stop_all(struct pcounter_gpu *gpu, int err)
{
	struct pcounter_record *r = gpu->record;
	unsigned int i;

	/* a reader whose event is closed has a stream, but no reference */
	CLASS(pcounter_ref, ref)(gpu);
	guard(mutex)(&r->mutex);
	r->closed = err;
	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].stream)
			read_rest(&gpu->dom[i]);
	for (i = 0; i < gpu->topo.nr; i++)
		if (gpu->dom[i].stream)
			stream_close(&gpu->dom[i]);
}

/**
 * pcounter_record_allow() - allow events again after the system has woken up
 * @gpu: the GPU
 */
void pcounter_record_allow(struct pcounter_gpu *gpu)
{
	guard(mutex)(&gpu->record->mutex);
	gpu->record->closed = 0;
}

/* ---- the begin ---- */

static const struct pcounter_stream_ops pcounter_stream_g84 = {
	.mode = &pcounter_record_mode,
	.channel = &pcounter_channel_g84,
	.look = pcounter_g84_look,
	.extend = pcounter_g84_extend,
	.force = pcounter_g84_force,
	.give = pcounter_g84_give,
	.read = pcounter_g84_read,
	.leave = pcounter_g84_leave,
};

/* No card has shown how records of GF100 work; of GM107 even less is known. */
static void offer_records(struct pcounter_gpu *gpu)
{
	if (gpu->topo.caps & PCOUNTER_CAP_INFERRED) {
		dev_info(gpu->io->dev, "pcounter: no record mode: its unit on %s is not known\n",
			 gpu->chip->name);
		return;
	}
	dev_info(gpu->io->dev, "pcounter: record mode of %s is tried: no card has confirmed it\n",
		 gpu->chip->name);
	gpu->topo.caps |= PCOUNTER_CAP_RECORD;
}

/**
 * pcounter_record_setup() - prepare record mode; writes no register
 * @gpu: the GPU, after pcounter_gpu_init(); gets its @record, for kfree()
 *
 * Return: 0 or -ENOMEM.
 */
int pcounter_record_setup(struct pcounter_gpu *gpu)
{
	gpu->record = kzalloc(sizeof(*gpu->record), GFP_KERNEL);
	if (!gpu->record)
		return -ENOMEM;
	mutex_init(&gpu->record->mutex);
	gpu->record->ops = gpu->topo.caps & PCOUNTER_CAP_SETS ? &pcounter_stream_gf100 :
								&pcounter_stream_g84;
	if (gpu->topo.caps & PCOUNTER_CAP_SETS && pcounter_unverified)
		offer_records(gpu);
	if (gpu->topo.caps & PCOUNTER_CAP_RECORD)
		gpu->record_mode = gpu->record->ops->mode;
	return 0;
}
