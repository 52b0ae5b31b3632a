// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains: clients and their counters; programming registers and updating totals.
 *
 * gpu->lock is held, but not for pure functions.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "count/gpu.h"

/*
 * Set the muxes of a client, or look for one that has changed. If a mux cannot be set, or
 * has changed, its client gets no counter, and perf has to remove its events; return
 * false. If the whole GPU does not answer the mux is not at fault.
 */
static bool client_sync_muxes(struct pcounter_domain *d, struct pcounter_client *client, bool set)
{
	int err = pcounter_mux_sync(&d->gpu->muxes, &client->req, &d->block, set);

	if (!err)
		return true;
	if (err == -ENODEV) {
		pcounter_domain_fault(d, PCOUNTER_FAULT_DEAD);
		return false;
	}
	client->failed = true;
	client->placed = false;
	d->gpu->want |= PCOUNTER_WANT_RESCHED;
	return false;
}

/**
 * pcounter_domain_sync_muxes() - set the muxes of all clients, or look for changed ones
 * @d: the domain
 * @set: true to set them; otherwise the events of a mux that somebody has changed stop, and
 *	their counts since the last call are dropped
 *
 * Return: false if a mux cannot be set, or has changed.
 */
bool pcounter_domain_sync_muxes(struct pcounter_domain *d, bool set)
{
	struct pcounter_client *client;
	bool all = true;

	for (client = d->client; client < d->client + d->clients; client++)
		if (client->req.mux[0].id && pcounter_client_counts(client) &&
		    (set ? d->unit.fault == PCOUNTER_OK : client->placed))
			all &= client_sync_muxes(d, client, set);
	return all;
}

/**
 * pcounter_domain_sync() - update a domain's totals
 * @d: the domain
 *
 * At most one swap for each snapshot (gpu->snapshot), however many events ask.
 */
void pcounter_domain_sync(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;

	if (d->snapshot == gpu->snapshot || !pcounter_domain_counts(d))
		return;
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return;
	pcounter_domain_sync_muxes(d, false);
	if (pcounter_domain_counts(d))
		d->mode->update(d);
	/* one try for each snapshot, also if nothing has been published */
	d->snapshot = gpu->snapshot;
}

/* ---- programming ---- */

/*
 * List the domain's requests, and the clients that they are of. Running clients come first,
 * so that a new client does not displace them.
 */
static void domain_list(const struct pcounter_domain *d, struct pcounter_set *set,
			u8 client[PCOUNTER_MAX_REQUESTS])
{
	unsigned int i, pass;

	set->n = 0;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < d->clients; i++) {
			if (!pcounter_client_counts(&d->client[i]) || d->client[i].placed == pass)
				continue;
			client[set->n] = i;
			set->req[set->n++] = &d->client[i].req;
		}
	}
}

/* Assign counters to the domain's requests; new and moved requests start from zero. */
static bool domain_place(struct pcounter_domain *d, bool partial, struct pcounter_plan *plan)
{
	u8 client[PCOUNTER_MAX_REQUESTS];
	struct pcounter_set set;
	unsigned int i;

	domain_list(d, &set, client);
	if (!pcounter_place(&set, d->gpu->gen->caps, partial, &d->plan, plan))
		return false;
	for (i = 0; i < set.n; i++)
		d->client[client[i]].next = set.slot[i];
	return true;
}

static bool domain_wanted(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if (pcounter_client_counts(client))
			return true;
	return false;
}

static const struct pcounter_mode_ops *mode_of(const struct pcounter_gpu *gpu,
					       const struct pcounter_plan *plan)
{
	if (plan->set.mode == PCOUNTER_MODE_RECORD)
		return gpu->record_mode;
	if (plan->set.mode == PCOUNTER_MODE_SINGLE ||
	    !(gpu->gen->caps & PCOUNTER_CAP_QUAD))
		return &pcounter_single_mode;
	return plan->set.swap ? &pcounter_signal_mode : &pcounter_quad_mode;
}

/* Program the requests of the domain's clients. */
static void domain_program(struct pcounter_domain *d)
{
	const struct pcounter_mode_ops *mode;
	struct pcounter_plan plan;

	/*
	 * An assignment existed when the last client was added. It is gone if a
	 * member of a group has left that another needs: the programming stays,
	 * and no client is added.
	 */
	d->want |= PCOUNTER_WANT_PLACE;
	if (!domain_place(d, false, &plan))
		return;
	d->want &= ~PCOUNTER_WANT_PLACE;
	if (d->unit.state == PCOUNTER_UNIT_FREE)
		pcounter_domain_save(d);
	if (!pcounter_domain_sync_muxes(d, true) &&
	    (!domain_wanted(d) || !domain_place(d, false, &plan)))
		return;
	if (d->unit.fault != PCOUNTER_OK)
		return;
	mode = mode_of(d->gpu, &plan);
	if (d->mode && d->mode != mode && d->mode->halt)
		d->mode->halt(d);
	mode->program(d, &plan);
}

/*
 * Limit on failing searches of a domain in one reschedule. Then the domain refuses each
 * request that needs another search; perf's rotation brings every event to the front.
 */
#define PCOUNTER_MOST_FAILURES	2

/**
 * pcounter_gpu_end_group() - end the adding of a group: no request may lack another one
 * @gpu: the GPU
 *
 * The members of a group are added one by one, and some need others. Finds places for
 * the requests of the domains that got some since the last call.
 *
 * Return: true if pcounter_gpu_commit() can go on.
 */
bool pcounter_gpu_end_group(struct pcounter_gpu *gpu)
{
	struct pcounter_plan plan;
	struct pcounter_domain *d;
	bool complete = true;

	if (!(gpu->want & PCOUNTER_WANT_OTHERS))
		return true;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (d->want & PCOUNTER_WANT_OTHERS && !domain_place(d, false, &plan)) {
			d->failures++;
			complete = false;
		}
		d->want &= ~PCOUNTER_WANT_OTHERS;
	}
	gpu->want &= ~PCOUNTER_WANT_OTHERS;
	return complete;
}

/* Compare the clients with the programmed ones; the ones without events are gone. */
static void domain_drop_unused(struct pcounter_domain *d)
{
	struct pcounter_client *client;

	d->failures = 0;
	if (d->want & PCOUNTER_WANT_BEGIN)
		d->want |= PCOUNTER_WANT_COMMIT;
	for (client = d->client; client < d->client + d->clients; client++) {
		if (client->placed != pcounter_client_counts(client))
			d->want |= PCOUNTER_WANT_COMMIT;
		if (!client->refs)
			client->placed = false;
	}
}

static void domain_commit(struct pcounter_domain *d)
{
	if (domain_wanted(d) && d->unit.fault == PCOUNTER_OK)
		domain_program(d);
	else if (!domain_wanted(d) && d->mode && d->mode->unused)
		d->mode->unused(d);
	d->want &= ~(PCOUNTER_WANT_COMMIT | PCOUNTER_WANT_BEGIN);
}

/**
 * pcounter_gpu_commit() - program the requests that came and went
 * @gpu: the GPU
 *
 * Does nothing while the GPU sleeps. Domains for which there is no time are left to
 * the next call, which PCOUNTER_WANT_COMMIT asks for; each call programs at least one.
 *
 * Return: true if any domain counts.
 */
bool pcounter_gpu_commit(struct pcounter_gpu *gpu)
{
	bool active = false, late = false;
	struct pcounter_domain *d;
	u64 began = 0;

	/* before any domain is programmed: a swap may reach all domains */
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		domain_drop_unused(d);
	CLASS(pcounter_hold, awake)(gpu);
	gpu->want &= ~PCOUNTER_WANT_COMMIT;
	if (!awake)
		return false;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (d->want & PCOUNTER_WANT_COMMIT && late) {
			gpu->want |= PCOUNTER_WANT_COMMIT;
		} else if (d->want & PCOUNTER_WANT_COMMIT) {
			began = began ?: ktime_get_mono_fast_ns();
			domain_commit(d);
			/* after a wake-up there may be dozens of domains */
			late = ktime_get_mono_fast_ns() - began >= gpu->most_ns;
		}
		active |= pcounter_domain_counts(d);
	}
	if (!(gpu->want & PCOUNTER_WANT_COMMIT))
		pcounter_gpu_run_periodic(gpu);
	return active;
}

/* ---- events come and go ---- */

/*
 * Where domains share CTRL: find places for the requests of the other domain beside @plan,
 * and return false if there are none. Its running process would not survive a write.
 */
static bool place_beside_partner(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	struct pcounter_domain *other = pcounter_domain_partner(d);
	struct pcounter_image img;
	struct pcounter_plan theirs;

	if (!other || !domain_wanted(other))
		return true;
	if (!domain_place(other, true, &theirs) ||
	    pcounter_plans_clash(plan, &theirs, d->gpu->gen->caps))
		return false;
	if (!pcounter_domain_is_process(other))
		return true;
	pcounter_domain_encode(d, plan, &img);
	return img.ctrl == d->gpu->ctrl;
}

/* Find the entry of a request that is present, or was deleted in this reschedule. */
static struct pcounter_client *find_client(struct pcounter_domain *d,
					   const struct pcounter_request *req)
{
	struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if ((client->refs || client->placed || client->leaving) &&
		    pcounter_request_equal(&client->req, req))
			return client;
	return NULL;
}

/* Find a free entry; one whose deleted request may be added again is the last choice. */
static struct pcounter_client *new_client(struct pcounter_domain *d,
					  const struct pcounter_request *req)
{
	struct pcounter_client *client, *free = NULL;

	for (client = d->client; client < d->client + PCOUNTER_MAX_REQUESTS; client++) {
		if (!client->refs && !client->leaving && (!free || free->placed))
			free = client;
	}
	if (!free)
		return NULL;
	memset(free, 0, sizeof(*free));
	free->unit = &d->unit;
	free->req = *req;
	d->clients = max_t(unsigned int, d->clients, free - d->client + 1);
	return free;
}

/* Return true if all requests are programmed already. They fit together, then. */
static bool domain_is_placed(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if (pcounter_client_counts(client) && !client->placed)
			return false;
	return true;
}

static bool client_is_back(const struct pcounter_domain *d, const struct pcounter_client *client)
{
	const struct pcounter_domain *other = pcounter_domain_partner(d);

	return client->placed && !(d->want & PCOUNTER_WANT_PLACE) && domain_is_placed(d) &&
	       (!other || domain_is_placed(other));
}

/* Return true if there is no room, without a search. */
static bool domain_excludes(const struct pcounter_domain *d, const struct pcounter_request *req)
{
	u8 client[PCOUNTER_MAX_REQUESTS];
	struct pcounter_set set;

	domain_list(d, &set, client);
	return pcounter_place_excludes(&set, req, d->gpu->gen->caps);
}

/*
 * Find a client for a request, and a place. The scheduler waits for this function: a
 * programmed set of clients comes back without a search, and most requests without room
 * are refused without one.
 */
static struct pcounter_client *get_client(struct pcounter_domain *d,
					  const struct pcounter_request *req)
{
	struct pcounter_client *client = find_client(d, req);
	struct pcounter_plan plan;

	if (client && (client->refs || client_is_back(d, client))) {
		client->refs++;
		return client;
	}
	if (d->failures >= PCOUNTER_MOST_FAILURES || domain_excludes(d, req))
		return ERR_PTR(-EAGAIN);
	client = client ?: new_client(d, req);
	if (!client)
		return ERR_PTR(-ENOSPC);
	client->refs = 1;
	if (!domain_place(d, true, &plan) || !place_beside_partner(d, &plan)) {
		client->refs = 0;
		d->failures++;
		return ERR_PTR(-EAGAIN);
	}
	if (plan.set.ctr)
		pcounter_domain_want(d, PCOUNTER_WANT_OTHERS);
	return client;
}

/**
 * pcounter_domain_add() - add a request to a domain
 * @gpu: the GPU
 * @req: the request
 *
 * No register is touched before pcounter_gpu_commit().
 *
 * Return: number of the client that counts it; -ENODEV if the GPU has left, -EIO
 * if the domain has stopped or the mux could not be set, -EAGAIN if no counter
 * is free now or the GPU sleeps, -ENOSPC if all entries are in use until events that are
 * leaving have been credited.
 */
int pcounter_domain_add(struct pcounter_gpu *gpu,
			const struct pcounter_request *req)
{
	struct pcounter_domain *d = &gpu->dom[req->dom];
	struct pcounter_client *client;
	bool awake;
	int err;

	if (gpu->gone)
		return -ENODEV;
	awake = pcounter_gpu_check_power(gpu);
	if (d->unit.fault != PCOUNTER_OK || pcounter_mux_failed(&gpu->muxes, req) ||
	    d->wedged)
		return -EIO;
	if (!awake)
		return -EAGAIN;
	client = get_client(d, req);
	if (IS_ERR(client))
		return PTR_ERR(client);
	err = pcounter_mux_claim(&gpu->muxes, req);
	if (err) {
		client->refs--;
		return err;
	}
	return client - d->client;
}

/**
 * pcounter_client_del() - remove an event from its client
 * @gpu: the GPU
 * @client: the client, of a domain or of an idle counter, whose request has no mux
 */
void pcounter_client_del(struct pcounter_gpu *gpu, struct pcounter_client *client)
{
	pcounter_mux_unclaim(&gpu->muxes, &client->req);
	client->refs--;
}
