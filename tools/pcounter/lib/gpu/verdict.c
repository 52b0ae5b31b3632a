// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prediction of the kernel's verdict on a group, by the driver's own code for terms,
 * groups and placement, which is compiled in.
 */
#include "count/idle.h"
#include "gpu/pmu.h"
#include "hw/mux.h"
#include "lib/util.h"

#define PROCESS		1	/* any number but 0 */
#define IDLE_BITS	34	/* bits of config in use: mask and when */

/**
 * struct asked - the members of a group on one domain
 * @group: their settings and requests
 * @at: index of each member's request in @group, -1 for members on other domains
 */
struct asked {
	struct pcounter_group group;
	int at[GROUP_EVENTS];
};

/* Note why the kernel refuses a member. Return false. */
static bool refuse(struct verdict *v, unsigned int member, int err, const char *why)
{
	v->err = err;
	v->member = member;
	snprintf(v->why, sizeof(v->why), "%s", why);
	return false;
}

/* Collect the requests of the first @n members to a domain. */
static void collect(const struct pcounter_request *raw, unsigned int n, unsigned int dom,
		    struct asked *asked)
{
	unsigned int i;

	memset(asked, 0, sizeof(*asked));
	asked->group.dom = dom;
	asked->group.process = PROCESS;
	for (i = 0; i < n; i++)
		pcounter_group_constrain(&asked->group, &raw[i]);
	for (i = 0; i < n; i++)
		asked->at[i] = pcounter_group_add(&asked->group, &raw[i]);
}

/* Return the number of the first member with the request at index @at, 0 if there is none. */
static unsigned int member_at(const struct asked *asked, int at, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && at >= 0; i++)
		if (asked->at[i] == at)
			return i + 1;
	return 0;
}

static void explain_conflict(const struct asked *asked, const struct pcounter_conflict *c,
			     unsigned int last, struct verdict *v)
{
	unsigned int a = member_at(asked, c->a, last + 1), b = member_at(asked, c->b, last + 1);
	const char *why = c->why;

	if (a && b)
		why = text_tmp("events %u and %u of the group exclude each other: %s", a, b, why);
	else if (c->b >= 0)
		why = text_tmp("no counter is left for event %u of the group: %s", last + 1, why);
	refuse(v, last, -EINVAL, why);
}

/* Check the group of the first @n members while the last of them is being opened. */
static void check(const struct pcounter_request *raw, unsigned int n,
		  const struct pcounter_topo *topo, struct verdict *v)
{
	unsigned int last = n - 1, i;
	struct pcounter_conflict why;
	struct asked asked, partner;

	collect(raw, n, raw[last].dom, &asked);
	collect(raw, n, raw[last].dom ^ 1, &partner);
	if (!pcounter_group_place(&asked.group, &partner.group, topo->caps, &why))
		explain_conflict(&asked, &why, last, v);
	for (i = 0; i < n && !v->err; i++) {
		if (asked.at[i] < 0)
			continue;
		v->req[i] = *asked.group.reqs.req[asked.at[i]];
		v->slot[i] = asked.group.reqs.slot[asked.at[i]];
	}
}

/* Check an event of the idle counters. */
static int check_idle(const struct event *event, const char **why)
{
	const u64 *word = event->config.word;

	*why = "no such bits";
	if (word[1] || word[2] || word[0] >> IDLE_BITS)
		return -EINVAL;
	return pcounter_idle_check(event_value(event, "mask"),
				   event_value(event, "when") + PCOUNTER_IDLE_ALL, why);
}

/* Return true if there are enough idle counters; identical events share one. */
static bool idle_fits(const struct event *event, unsigned int last)
{
	unsigned int i, k, n = 0;

	for (i = 0; i <= last; i++) {
		for (k = 0; event[k].config.word[0] != event[i].config.word[0]; k++)
			;
		n += k == i;
	}
	return n <= event->pmu->counters;
}

/* Check one event without its group. */
static bool check_alone(const struct event *event, const struct event *leader,
			unsigned int member, struct pcounter_request *raw, struct verdict *v)
{
	const struct pcounter_topo *topo = &event->pmu->topo;
	const char *why = "";
	int err;

	if (*event->error)
		return refuse(v, member, -EINVAL, event->error);
	if (!event->pmu->idle && !topo->chip)
		return refuse(v, member, -EOPNOTSUPP,
			      text_tmp("%s is not a PMU whose rules are known here",
				       event->pmu->name));
	if (event->pmu != leader->pmu)
		return refuse(v, member, -EINVAL, "a group counts on one PMU");
	err = event->pmu->idle ? check_idle(event, &why) :
				 pcounter_config_parse(&event->config, topo, raw, &why);
	if (!err && !event->pmu->idle)
		err = pcounter_mux_check(raw, &topo->dom[raw->dom], topo->chip, &why);
	if (err)
		return refuse(v, member, err, why);
	if (event->sampling && (event->pmu->idle || raw->set.mode != PCOUNTER_MODE_RECORD))
		return refuse(v, member, -EOPNOTSUPP, "only events of record mode give samples");
	if (event->exclude)
		return refuse(v, member, -EINVAL, "a GPU does not know user, kernel and guest");
	return true;
}

/**
 * verdict_group() - predict the kernel's verdict on a group
 * @event: the members, opened one after the other
 * @n: number of members
 * @v: gets the verdict; @req and @slot are valid if the kernel accepts all members
 */
void verdict_group(const struct event *event, unsigned int n, struct verdict *v)
{
	const struct pmu *pmu = event->pmu;
	struct pcounter_request raw[GROUP_EVENTS];
	unsigned int i;

	memset(v, 0, sizeof(*v));
	for (i = 0; i < n; i++) {
		if (i == GROUP_EVENTS)
			refuse(v, i, -EINVAL, "too many events for one group");
		else if (check_alone(&event[i], event, i, &raw[i], v) &&
			 !pmu->idle)
			check(raw, i + 1, &pmu->topo, v);
		else if (!v->err && !idle_fits(event, i))
			refuse(v, i, -EINVAL, text_tmp("the GPU has %lu idle counters",
						       pmu->counters));
		if (v->err)
			return;
	}
}
