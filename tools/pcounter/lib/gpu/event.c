// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parser of event strings in perf's syntax: "pmu/term=value,.../mods", "{a,b}", and
 * lists of both.
 */
#include "gpu/pmu.h"
#include "lib/util.h"

#define BASE	"pcounter"	/* stands for all PMUs of this driver */

static int find_term(const struct pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++)
		if (pmu->has >> i & 1 && !strcmp(pmu->term[i].name, name))
			return i;
	return -1;
}

static bool mistake(struct event *event, const char *error)
{
	snprintf(event->error, sizeof(event->error), "%s", error);
	return false;
}

/* Take a term that perf itself understands for every PMU. */
static bool perf_word(struct event *event, const char *name, uint64_t value)
{
	static const char *const words[PCOUNTER_WORDS] = { "config", "config1", "config2" };
	unsigned int i;

	if (!strcmp(name, "name"))
		return true;
	if (!strcmp(name, "period") || !strcmp(name, "freq")) {
		event->sampling = value;
		return true;
	}
	for (i = 0; i < PCOUNTER_WORDS; i++) {
		if (strcmp(name, words[i]))
			continue;
		event->config.word[i] |= value;
		return true;
	}
	return false;
}

static bool add_term(const struct pmu *pmu, struct event *event, unsigned int at, uint64_t value)
{
	const struct pcounter_term_info *term = &pmu->term[at];
	unsigned int bits = term->hi - term->lo + 1;

	if (bits < 64 && value >> bits)
		return mistake(event, text_tmp("%s=0x%llx is too big: it has %u bits", term->name,
					       (unsigned long long)value, bits));
	event->terms |= BIT_ULL(at);
	/* perf ORs the values of a repeated term */
	event->config.word[term->word] |= value << term->lo;
	return true;
}

static bool one_term(const struct pmu *pmu, char *text, struct event *event)
{
	char *equals = strchr(text, '='), *end = "";
	const struct pmu_name *name;
	uint64_t value = 1;
	int at;

	name = equals ? NULL : event_named(pmu, text);
	if (name)
		return event_terms(pmu, name->terms, event);
	if (equals) {
		*equals++ = 0;
		errno = 0;
		value = strtoull(equals, &end, 0);
		if (!*equals || errno)
			end = "?";
	}
	at = find_term(pmu, text);
	if (at < 0) {
		if (equals && perf_word(event, text, value))
			return true;
		return mistake(event, text_tmp("%s has no term or event \"%s\"", pmu->name, text));
	}
	if (equals && !strcmp(equals, "?")) {
		event->required |= BIT_ULL(at);
		return true;
	}
	if (*end)
		return mistake(event, text_tmp("%s=%s: not a number", text, equals));
	return add_term(pmu, event, at, value);
}

/**
 * event_terms() - parse the terms of an event
 * @pmu: its PMU
 * @terms: as in "dom=1,sig=0x10"; names of events stand for their terms
 * @event: gets the terms, encoded for the kernel; the caller has set it to zero
 *
 * Return: false, with event->error, if perf itself would reject the terms.
 */
bool event_terms(const struct pmu *pmu, const char *terms, struct event *event)
{
	char *rest = text_keep(strdup(terms)), *word;

	event->pmu = pmu;
	while ((word = strsep(&rest, ",")))
		if (*word && !one_term(pmu, word, event))
			return false;
	return true;
}

/**
 * event_value() - return the value of a term of an event
 * @event: the event
 * @name: name of the term
 *
 * Return: the value, 0 if the event does not have the term.
 */
uint64_t event_value(const struct event *event, const char *name)
{
	const struct pcounter_term_info *term;
	int at = find_term(event->pmu, name);

	if (at < 0)
		return 0;
	term = &event->pmu->term[at];
	return (event->config.word[term->word] & GENMASK_ULL(term->hi, term->lo)) >> term->lo;
}

/**
 * event_has() - check for a term of an event
 * @event: the event
 * @term: name of the term
 *
 * Return: true if the event has the term.
 */
bool event_has(const struct event *event, const char *term)
{
	int at = find_term(event->pmu, term);

	return at >= 0 && event->terms & BIT_ULL(at);
}

/**
 * event_only() - check that an event has no other terms than the given ones
 * @event: the event
 * @terms: bitmask of terms, by enum pcounter_term
 *
 * Return: true if it has none; the terms of idle counters are others.
 */
bool event_only(const struct event *event, uint64_t terms)
{
	return !event->pmu->idle && !(event->terms & ~terms);
}

/**
 * event_domain() - find the domain of an event
 * @event: the event
 *
 * Return: the index of the domain, -1 if the GPU does not have it.
 */
int event_domain(const struct event *event)
{
	return pcounter_topo_find(&event->pmu->topo, event_value(event, "set"),
				  event_value(event, "unit"), event_value(event, "dom"));
}

/**
 * event_complete() - check that an event has all terms that its name requires
 * @event: the event, with all terms parsed
 *
 * Return: false, with event->error, if a term is missing.
 */
bool event_complete(struct event *event)
{
	uint64_t missing = event->required & ~event->terms;
	const char *name;

	if (!missing)
		return true;
	name = event->pmu->term[__builtin_ctzll(missing)].name;
	return mistake(event, text_tmp("it needs a value for %s", name));
}

/* Find a PMU by name. "pcounter" stands for all PMUs: return the first. */
static const struct pmu *find_pmu(const struct pmus *pmus, const char *name)
{
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (!strcmp(pmus->pmu[i]->name, name) ||
		    (!strcmp(name, BASE) && !pmus->pmu[i]->idle))
			return pmus->pmu[i];
	return NULL;
}

static const char *take_modifiers(const char *s, struct event *event)
{
	for (; *s && !strchr(",}", *s); s++) {
		if (strchr("ukhGHI", *s))
			event->exclude = true;
		else if (!strchr("SDWep", *s))
			mistake(event, text_tmp("modifier \"%c\" is not known", *s));
	}
	return s;
}

static bool is_asleep(const struct pmu *pmu)
{
	return !strcmp(device_power(pmu->device), "asleep");
}

/**
 * event_pmu() - find a PMU with an event of this name
 * @pmus: the PMUs
 * @name: name of the event
 *
 * Return: the first PMU, of a GPU that is awake if there is one; NULL if no PMU has the
 * event. PMUs of idle counters come last.
 */
const struct pmu *event_pmu(const struct pmus *pmus, const char *name)
{
	const struct pmu *found = NULL;
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (event_named(pmus->pmu[i], name) &&
		    (!found || found->idle || (is_asleep(found) && !is_asleep(pmus->pmu[i]))))
			found = pmus->pmu[i];
	return found;
}

/* Parse an event; a bare name is the name of an event. Return the rest of @s, or NULL. */
static const char *take_event(const struct pmus *pmus, const char *s, struct event *event)
{
	size_t len = strcspn(s, ",{}:/");
	bool alone = s[len] != '/';
	const char *terms = s + (alone ? 0 : len + 1), *end = alone ? s + len : strchr(terms, '/');
	char name[64] = "", words[EVENT_TEXT];

	if (end && len < sizeof(name) && end - terms < (long)sizeof(words)) {
		snprintf(name, sizeof(name), "%.*s", (int)len, s);
		snprintf(words, sizeof(words), "%s",
			 text_plain(text_tmp("%.*s", (int)(end - terms), terms)));
		event->pmu = alone ? event_pmu(pmus, name) : find_pmu(pmus, name);
	}
	if (!event->pmu) {
		complain("%s", !alone && *name ?
			 text_tmp("there is no PMU \"%s\" of this driver", name) :
			 text_tmp("not an event of this driver: %.40s", s));
		return NULL;
	}
	snprintf(event->text, sizeof(event->text), "%s/%s/", alone ? event->pmu->name : name,
		 words);
	if (event_terms(event->pmu, words, event))
		event_complete(event);
	return take_modifiers(alone ? end + (*end == ':') : end + 1, event);
}

static struct event *group_add(struct group *group)
{
	group->event = grow(group->event, group->nr, sizeof(*group->event));
	return &group->event[group->nr++];
}

static struct group *groups_add(struct groups *groups)
{
	groups->group = grow(groups->group, groups->nr, sizeof(*groups->group));
	return &groups->group[groups->nr++];
}

static const char *take_members(const struct pmus *pmus, const char *s, struct group *group)
{
	if (*s != '{')
		return take_event(pmus, s, group_add(group));
	do {
		s = take_event(pmus, s + 1, group_add(group));
	} while (s && *s == ',');
	if (s && *s == '}')
		return take_modifiers(s + 1, &group->event[0]);
	if (s)
		complain("a group without its closing brace");
	return NULL;
}

/**
 * groups_parse() - parse a list of events and groups
 * @pmus: all PMUs
 * @text: the list
 * @groups: gets the groups; the caller frees them by groups_free(), even after an error
 *
 * Errors that perf would find in an event are stored in its @error.
 *
 * Return: false, with a message, after a syntax error.
 */
bool groups_parse(const struct pmus *pmus, const char *text, struct groups *groups)
{
	do {
		text = take_members(pmus, text, groups_add(groups));
		if (text && *text && *text != ',')
			return complain("no comma before: %.40s", text);
	} while (text && *text++);
	return text;
}

/* Return the group that counts the domain of an event; make one if there is none. */
static struct group *group_for(struct groups *groups, const struct event *event)
{
	struct group *group;

	for (group = groups->group; group < groups->group + groups->nr; group++)
		if (group->event->pmu == event->pmu &&
		    event_domain(group->event) == event_domain(event))
			return group;
	return groups_add(groups);
}

/**
 * groups_join() - merge all events of a domain into one group
 * @groups: the groups
 */
void groups_join(struct groups *groups)
{
	struct groups joined = {};
	const struct group *from;
	struct group *to;
	unsigned int k;

	for (from = groups->group; from < groups->group + groups->nr; from++) {
		to = group_for(&joined, from->event);
		for (k = 0; k < from->nr; k++)
			*group_add(to) = from->event[k];
	}
	groups_free(groups);
	*groups = joined;
}

/**
 * groups_free() - free the groups of groups_parse()
 * @groups: the groups
 */
void groups_free(struct groups *groups)
{
	unsigned int i;

	for (i = 0; i < groups->nr; i++)
		free(groups->group[i].event);
	free(groups->group);
	groups->group = NULL;
	groups->nr = 0;
}
