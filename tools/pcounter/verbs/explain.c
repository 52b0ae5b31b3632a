// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter explain: describe events, and predict the kernel's verdict on them.
 */
#include "gpu/metric.h"
#include "hw/idle.h"
#include "cli/verb.h"

static const char *chip;
static bool quiet;

static const struct option_doc options[] = {
	OPTION_CHIP(&chip),
	{ 'q', "quiet", NULL, "print nothing, only set the exit status", OPT_FLAG(&quiet) },
	{ }
};

static const char *const slot_names[] = {
	[PCOUNTER_PRE] = "PRE", [PCOUNTER_START] = "START", [PCOUNTER_EVENT] = "EVENT",
	[PCOUNTER_STOP] = "STOP", [PCOUNTER_OP_SETFLAG] = "SETFLAG",
	[PCOUNTER_OP_CLRFLAG] = "CLRFLAG",
};

static const char *slot_name(const struct pcounter_request *req, int slot)
{
	if (slot == PCOUNTER_NO_SLOT)
		return "cycles";
	/* fields of a packet have no names of their own */
	return req->set.mode == PCOUNTER_MODE_RECORD ? "packet" : slot_names[slot];
}

/* Format the formula of an input. FLAG replaces an argument; delays are part of the names. */
static const char *input_formula(const struct pcounter_input *in)
{
	static const char *const plain[] = { "a", "b", "c", "d" };
	static const char *const delayed[] = { "a delayed", "b delayed" };
	const char *names[PCOUNTER_ARGS];
	unsigned int i;

	for (i = 0; i < PCOUNTER_ARGS; i++)
		names[i] = in->delay & BIT(i) ? delayed[i % 2] : plain[i];
	if (in->flag)
		names[3] = "SETFLAG";
	return formula(in->op, names);
}

#define NUMBER	"the sum of START's a + 2 b + 4 c + 8 d"

/* What the counters count that a counter mode changes. */
static const char *const sums[PCOUNTER_CTRS][PCOUNTER_SLOTS] = {
	[PCOUNTER_CTR_EVENT_B4][PCOUNTER_EVENT] = NUMBER " while EVENT is 1",
	[PCOUNTER_CTR_EVENT_B6][PCOUNTER_EVENT] = NUMBER " and 16 c + 32 d, while EVENT is 1",
	[PCOUNTER_CTR_EXTRA_B4] = {
		[PCOUNTER_PRE] = NUMBER " over all clocks",
		[PCOUNTER_START] = NUMBER " over all clocks",
	},
	[PCOUNTER_CTR_EXTRA_B6_EVENT_B2] = {
		[PCOUNTER_PRE] = NUMBER " and EVENT's 16 c + 32 d",
		[PCOUNTER_START] = NUMBER " and EVENT's 16 c + 32 d",
		[PCOUNTER_EVENT] = "the sum of a + 2 b over all clocks",
	},
	[PCOUNTER_CTR_PRE_B5] = {
		[PCOUNTER_PRE] = "the sum of a + 2 b + 4 c + 8 d and START's 16 a over all clocks",
		[PCOUNTER_START] = "nothing: its a is a bit of PRE's sum",
	},
	[PCOUNTER_CTR_EVENT_OWN_B4] = {
		[PCOUNTER_START] = "nothing: it is the gate of EVENT's sum",
		[PCOUNTER_EVENT] = "the sum of a + 2 b + 4 c + 8 d while START is 1",
	},
};

/* Describe the count of an event that adds up a number; return NULL for all others. */
static const char *sum_text(const struct pcounter_request *req, s8 slot)
{
	if (slot < 0 || req->set.mode == PCOUNTER_MODE_RECORD ||
	    !(pcounter_sum_slots(&req->set) & BIT(slot)))
		return NULL;
	return sums[req->set.ctr][slot];
}

/* Describe an event of the idle counters, which use no wires of a domain. */
static const char *idle_text(const struct event *event)
{
	unsigned int mode = event_value(event, "when") + PCOUNTER_IDLE_ALL;
	unsigned int mask = event_value(event, "mask");

	if (mode == PCOUNTER_IDLE_ALWAYS)
		return "clocks of PDAEMON";
	return text_tmp("clocks of PDAEMON with idle signals 0x%x %s", mask,
			mode == PCOUNTER_IDLE_ALL ? "all 1" : mask & (mask - 1) ?
			"not all 1; by one document: all 0" : "at 0");
}

/* Functions of the inputs of a gated process. */
static const char *const gates[] = {
	[PCOUNTER_ROLE_PRE] = "pulses to wait for before the first period",
	[PCOUNTER_ROLE_START] =
		"begins a period; the count is that of periods at or above the threshold",
	[PCOUNTER_ROLE_STOP] = "ends a period; the count is that of periods still to run",
};

static const char *counts_text(const struct event *event, const struct pcounter_request *req,
			       s8 slot)
{
	const char *sum = sum_text(req, slot);
	const char *words;

	if (event->pmu->idle)
		return idle_text(event);
	if (req->role == PCOUNTER_ROLE_CLK)
		return "the domain's clocks";
	if (sum)
		return sum;
	words = input_formula(&req->in);
	if (req->role == PCOUNTER_ROLE_SETFLAG || req->role == PCOUNTER_ROLE_CLRFLAG)
		return text_tmp("nothing: the flag is %s while %s",
				req->role == PCOUNTER_ROLE_SETFLAG ? "set" : "cleared", words);
	if (req->set.mode == PCOUNTER_MODE_SINGLE && req->role < ARRAY_SIZE(gates) &&
	    gates[req->role])
		return text_tmp("%s: %s", words, gates[req->role]);
	return text_tmp("clocks with %s", words);
}

/* Return the valid range for an error of "no such" thing, empty for any other error. */
static const char *limits_text(const struct event *event, const char *why)
{
	const struct pcounter_topo *topo = &event->pmu->topo;
	int dom = event_domain(event);

	if (!topo->nr || !strstr(why, "no such"))
		return "";
	if (dom < 0)
		return text_tmp("           domains of %s are %s to %s\n", event->pmu->chip_name,
				topo->dom[0].name, topo->dom[topo->nr - 1].name);
	return text_tmp("           signals of domain %s are 0 to 0x%x\n", topo->dom[dom].name,
			pcounter_dom_signals(&topo->dom[dom], topo->caps) - 1);
}

static const char *group_text(const struct group *group)
{
	const char *text = group->event[0].text;
	unsigned int i;

	for (i = 1; i < group->nr; i++)
		text = text_tmp("%s,%s", text, group->event[i].text);
	return group->nr > 1 ? text_tmp("{%s}", text) : text;
}

/* Print the meanings of the named events in a string. */
static void print_meaning(const struct event *event)
{
	char *rest = strchr(text_keep(strdup(event->text)), '/'), *word;
	const struct pmu_name *name;

	while (rest && (word = strsep(&rest, ",/"))) {
		name = event_named(event->pmu, word);
		if (name && *name->source)
			printf("    means    %s: %s\n    unit     %s\n    sources  %s\n", word,
			       name->text, name->unit, name->source);
	}
}

/* Print the sources of an input in @mask: "a = 0x10 (name), ..." */
static void print_wires(const struct pmu *pmu, const struct pcounter_request *req,
			const struct pcounter_input *in, u8 mask)
{
	const struct pmu_name *wire;
	const char *between = "";
	unsigned int i;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(mask & BIT(i)))
			continue;
		wire = pmu_wire_name(pmu, &pmu->topo.dom[req->dom], in->sig[i]);
		printf("%s%c = 0x%02x%s%s%s", between, 'a' + i, in->sig[i],
		       wire ? " (" : "", wire ? wire->name : "", wire ? ")" : "");
		between = ", ";
	}
	putchar('\n');
}

static void print_number(const struct pmu *pmu, const struct pcounter_request *req)
{
	bool gate = pcounter_ctr_modes[req->set.ctr].start == PCOUNTER_START_GATE;

	printf("    %s   START's %s%s", gate ? "gate  " : "number",
	       gate ? input_formula(&req->start) : "", gate ? ", " : "");
	print_wires(pmu, req, &req->start, pcounter_input_sources(&req->start) |
		    pcounter_ctr_modes[req->set.ctr].sources[PCOUNTER_START]);
}

/* Return the bitmask of the sources that an event uses. */
static u8 sources_of(const struct pcounter_request *req, s8 slot)
{
	if (req->role == PCOUNTER_ROLE_CLK)
		return 0;
	return pcounter_input_sources(&req->in) |
	       (slot >= 0 ? pcounter_ctr_modes[req->set.ctr].sources[slot] : 0);
}

static void print_muxes(const struct pcounter_request *req)
{
	const struct pcounter_mux_setting *mux = req->mux;
	unsigned int i;

	for (i = 0; i < PCOUNTER_REQUEST_MUXES; i++)
		if (mux[i].id)
			printf("    mux      %u in position 0x%x\n", mux[i].id, mux[i].sel);
}

static void print_event(const struct event *event, const struct pcounter_request *req,
			s8 slot)
{
	const struct pmu *pmu = event->pmu;

	printf("  %s\n", event->text);
	print_meaning(event);
	if (pmu->idle) {
		printf("    of       %s\n    counts   %s\n    counter  one of %lu idle counters\n",
		       pmu->name, counts_text(event, req, slot), pmu->counters);
		return;
	}
	printf("    of       domain %s of %s (%s), %s\n    counts   %s\n",
	       pmu->topo.dom[req->dom].name, pmu->name,
	       pmu->chip_name, pmu->topo.dom[req->dom].clock ?: "clock unknown",
	       counts_text(event, req, slot));
	if (sources_of(req, slot)) {
		printf("    wires    ");
		print_wires(pmu, req, &req->in, sources_of(req, slot));
	}
	if (req->number)
		print_number(pmu, req);
	print_muxes(req);
	printf("    counter  %s%s\n", slot_name(req, slot), req->number ? " and START" : "");
}

static void print_group(const struct group *group, const struct verdict *v)
{
	const char *text = group_text(group);
	unsigned int i;

	if (!v->err) {
		printf("%s: accepted%s\n", text, group->nr > 1 ? ", counts of one moment" : "");
		for (i = 0; i < group->nr; i++)
			print_event(&group->event[i], &v->req[i], v->slot[i]);
		return;
	}
	/* a refusal has one of two numbers; C libraries but glibc have no names of numbers */
	printf("%s: refused (%s)\n", text, v->err == -EOPNOTSUPP ? "EOPNOTSUPP" : "EINVAL");
	printf("  refused  %s\n  because  %s\n%s", group->event[v->member].text, v->why,
	       limits_text(&group->event[v->member], v->why));
}

/* Explain groups. Return false if the kernel would refuse any. */
static bool explain(const struct groups *groups)
{
	struct verdict v;
	bool good = true;
	unsigned int i;

	for (i = 0; i < groups->nr; i++) {
		const struct group *group = &groups->group[i];

		verdict_group(group->event, group->nr, &v);
		good &= !v.err;
		if (!quiet)
			print_group(group, &v);
	}
	return good;
}

/* Explain the metric of a name. Return false if there is none. */
static bool explain_metric(const struct pmus *pmus, const char *text)
{
	const struct metric *metric = NULL;
	unsigned int i;

	for (i = 0; i < pmus->nr && !metric; i++)
		metric = metric_find(pmus->pmu[i], text);
	if (!metric)
		return false;
	if (!quiet)
		printf("%s: a metric, for pcounter stat -M\n  means    %s\n  unit     %s\n"
		       "  made of  %s, %s\n", metric->name, metric->text, metric->unit,
		       metric->expression, metric_confidence(pmus->pmu[i - 1], metric));
	return true;
}

static int explain_all(const struct pmus *pmus, char **text)
{
	int status = STATUS_OK;

	for (; *text && status != STATUS_USAGE; text++) {
		const struct pmu *pmu = event_pmu(pmus, *text);
		const char *whole = *text;
		struct groups groups = {};

		if (explain_metric(pmus, *text) && !pmu)
			continue;
		if (!quiet && !pmu && metric_find(NULL, *text))
			complain("%s: a metric; this chip lacks the events for it", *text);
		/* complete a bare name to an event string */
		if (!strchr(whole, '/'))
			whole = text_tmp("%s/%s/", (pmu ?: pmus->pmu[0])->name, whole);
		if (!groups_parse(pmus, whole, &groups))
			status = STATUS_USAGE;
		else if (!explain(&groups))
			status = STATUS_NO;
		groups_free(&groups);
	}
	return status;
}

static bool pmus_for(struct pmus *pmus)
{
	if (chip)
		return pmus_offline(pmus, chip);
	pmus_find(pmus);
	return pmus->nr || complain("no GPU with counters; explain --chip CHIP does without");
}

static int run_explain(char **args)
{
	struct pmus pmus = {};
	int status = STATUS_OK;

	if (pmus_for(&pmus))
		status = explain_all(&pmus, args);
	else
		status = chip ? STATUS_USAGE : STATUS_NO_GPU;
	pmus_free(&pmus);
	return status;
}

const struct verb verb_explain = {
	.name = "explain",
	.args = "EVENT...",
	.summary = "say in words what events count, or why they are refused",
	.options = options,
	.run = run_explain,
};
