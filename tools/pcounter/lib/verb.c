// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of a verb.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"

#define MAX_OPTIONS	24

/**
 * verb_usage() - a page of help
 * @verb: about what
 * @out: where to
 */
void verb_usage(const struct verb *verb, FILE *out)
{
	const struct option_doc *o;
	char left[48];

	fprintf(out, "usage: pcounter %s [options]%s%s\n%s\n\n", verb->name,
		*verb->args ? " " : "", verb->args, verb->summary);
	for (o = verb->options; o->name; o++) {
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter < 256 ? '-' : ' ',
			 o->letter < 256 ? o->letter : ' ', o->letter < 256 ? ", " : "  ",
			 o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		fprintf(out, "  %-28s %s\n", left, o->text);
	}
	fprintf(out, "  %-28s %s\n", "-h, --help", "this text");
}

/**
 * verb_getopt() - the next option of a verb
 * @verb: the verb
 * @argc: its arguments
 * @argv: the same
 *
 * Return: as getopt_long(); ends the program for --help and for mistakes.
 */
int verb_getopt(const struct verb *verb, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 2] = {};
	/* what follows a command belongs to it */
	char shorts[3 * MAX_OPTIONS] = "+h", *s = shorts + 2;
	const char *wanted = strstr(verb->args, "COMMAND") ? shorts : shorts + 1;
	unsigned int n = 0;
	int c;

	for (; n < MAX_OPTIONS && verb->options[n].name; n++) {
		const struct option_doc *o = &verb->options[n];

		longs[n] = (struct option){ o->name, o->arg ? required_argument : no_argument,
					    NULL, o->letter };
		if (o->letter >= 256)
			continue;
		*s++ = o->letter;
		if (o->arg)
			*s++ = ':';
	}
	longs[n] = (struct option){ "help", no_argument, NULL, 'h' };
	c = getopt_long(argc, argv, wanted, longs, NULL);
	if (c == 'h') {
		verb_usage(verb, stdout);
		exit(STATUS_OK);
	}
	if (c == '?') {
		fprintf(stderr, "Try: pcounter %s --help\n", verb->name);
		exit(STATUS_USAGE);
	}
	return c;
}

/**
 * verb_number() - an option's argument that is a number
 * @text: the argument
 * @min: least value
 * @max: greatest value
 * @value: where to store it
 *
 * Return: false, with a word on stderr, if it is none.
 */
bool verb_number(const char *text, unsigned long min, unsigned long max,
		 unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 0);
	if (isdigit((unsigned char)*text) && !*end && !errno && *value >= min && *value <= max)
		return true;
	complain("%s: not a number from %lu to %lu", text, min, max);
	return false;
}

/**
 * verb_duration() - an option's argument that is a time
 * @text: the argument: "2s", "200ms", "5us", "100ns", or a plain number
 * @unit: ns that a plain number counts
 * @min: least value in ns
 * @max: greatest
 * @ns: where to store it
 *
 * Return: false, with a word on stderr, if it is none.
 */
bool verb_duration(const char *text, double unit, double min, double max, double *ns)
{
	const char *plain = unit == NS_S ? "s" : unit == NS_MS ? "ms" : "ns";
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "s", NS_S }, { "ms", NS_MS }, { "us", NS_US }, { "ns", 1 }, { "m", 60 * NS_S },
	};
	unsigned int i;
	char *end;

	*ns = strtod(text, &end);
	if (end != text && *end) {
		for (i = 0; i < sizeof(units) / sizeof(*units) && strcmp(units[i].name, end); i++)
			;
		unit = i < sizeof(units) / sizeof(*units) ? units[i].ns : 0;
	}
	*ns *= unit;
	if (end != text && unit > 0 && isfinite(*ns) && *ns >= min && *ns <= max)
		return true;
	complain("%s: not a time from %g to %g s; 2s, 200ms, 5us, 100ns, or a plain number of %s",
		 text, min / NS_S, max / NS_S, plain);
	return false;
}
