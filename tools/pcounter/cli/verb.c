// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of a verb.
 */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <sys/auxv.h>
#include <sys/capability.h>

#include "cli/verb.h"
#include "gpu/gpu.h"

#define MAX_OPTIONS	24

/**
 * verb_usage() - print the help of a verb
 * @verb: the verb
 * @out: the output
 */
void verb_usage(const struct verb *verb, FILE *out)
{
	const struct option_doc *o;
	const char *left;

	fprintf(out, "Usage: pcounter %s [options]%s%s\n\n%s\n\nOptions:\n", verb->name,
		*verb->args ? " " : "", verb->args, verb->summary);
	for (o = verb->options; o->name; o++) {
		left = o->letter < LONG_CHIP ? text_tmp("-%c, ", o->letter) : "    ";
		left = text_tmp("%s--%s%s%s", left, o->name, o->arg ? " " : "", o->arg ?: "");
		fprintf(out, "  %-28s %s\n", left, o->text);
	}
	fprintf(out, "  %-28s %s\n", "-h, --help", "this text");
}

/* Call getopt_long(), and return its result; end the program for --help and for mistakes. */
static int next_option(const struct verb *verb, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 2] = {};
	/* options after a command belong to the command */
	char shorts[3 * MAX_OPTIONS] = "+h", *s = shorts + 2;
	const char *wanted = strstr(verb->args, "COMMAND") ? shorts : shorts + 1;
	unsigned int n = 0;
	int c;

	for (; n < MAX_OPTIONS && verb->options[n].name; n++) {
		const struct option_doc *o = &verb->options[n];

		longs[n] = (struct option){ o->name, o->arg ? required_argument : no_argument,
					    NULL, o->letter };
		if (o->letter >= LONG_CHIP)
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
		fprintf(stderr, "Try: pcounter %s --help%s\n", verb->name, verb->hint ?: "");
		exit(STATUS_USAGE);
	}
	return c;
}

/**
 * drop_rights() - give up the capabilities that the program's file gives, as by setcap
 *
 * Libraries then read files of the user's choice without them. Those of root and of a
 * service, which start the program with them, stay.
 */
void drop_rights(void)
{
	cap_t none = cap_init();

	if (getauxval(AT_SECURE))
		cap_set_proc(none);
	cap_free(none);
}

/**
 * verb_run() - handle the options of a verb, and run it
 * @verb: the verb
 * @argc: number of its arguments
 * @argv: its arguments
 *
 * Ends the program for --help and for mistakes.
 *
 * Return: enum pcounter_status.
 */
int verb_run(const struct verb *verb, int argc, char **argv)
{
	const char *more = strchr(verb->args, ' ');
	int c, most = !*verb->args ? 0 : strstr(verb->args, "...") ? argc : more ? 2 : 1;
	const struct option_doc *o;
	static char name[32];

	snprintf(name, sizeof(name), "pcounter %s", verb->name);
	/* getopt_long() begins its messages with this name */
	argv[0] = name;
	while ((c = next_option(verb, argc, argv)) != -1) {
		for (o = verb->options; o->letter != c; o++)
			;
		if (!o->take(o, optarg))
			exit(STATUS_USAGE);
	}
	/* what stands in brackets may be left out */
	if (argc - optind > most || (argc == optind && isupper((unsigned char)*verb->args))) {
		verb_usage(verb, stderr);
		exit(STATUS_USAGE);
	}
	if (!verb->counts)
		drop_rights();
	return verb->run(argv + optind);
}

/**
 * gpus_run() - find GPUs with counters, and do something with them
 * @wish: as for gpus_find()
 * @run: what to do; returns enum pcounter_status
 *
 * Return: the result of @run; STATUS_NO_GPU, with a message, if there is no such GPU.
 */
int gpus_run(const char *wish, int (*run)(const struct gpus *gpus))
{
	int status = STATUS_NO_GPU;
	struct gpus gpus;

	if (gpus_counting(&gpus, wish))
		status = run(&gpus);
	gpus_free(&gpus);
	return status;
}

/**
 * take_flag() - set the target of an option, a bool
 * @o: the option
 * @text: NULL
 *
 * Return: true.
 */
bool take_flag(const struct option_doc *o, const char *text)
{
	*(bool *)o->to = true;
	return true;
}

/**
 * take_text() - store the argument of an option
 * @o: the option
 * @text: the argument
 *
 * Return: true.
 */
bool take_text(const struct option_doc *o, const char *text)
{
	*(const char **)o->to = text;
	return true;
}

/**
 * take_several() - add the argument of an option to an array of texts, ended by NULL
 * @o: the option; @most: number of texts that it may have
 * @text: the argument
 *
 * Return: false, with a message, if there are too many.
 */
bool take_several(const struct option_doc *o, const char *text)
{
	const char **texts = o->to;
	unsigned int n = 0;

	while (texts[n])
		n++;
	if (n == o->most)
		return complain("at most %u times --%s", n, o->name);
	texts[n] = text;
	return true;
}

/**
 * take_number() - store the argument of an option, an unsigned long
 * @o: the option
 * @text: the argument
 *
 * Return: false, with a message, if the argument is no such number.
 */
bool take_number(const struct option_doc *o, const char *text)
{
	unsigned long *value = o->to;
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 0);
	if (isdigit((unsigned char)*text) && !*end && !errno && *value >= o->least &&
	    *value <= o->most)
		return true;
	return complain("%s: not a number from %.0f to %.0f", text, o->least, o->most);
}

/**
 * take_time() - store the argument of an option, a time, as a double in ns
 * @o: the option
 * @text: the argument: "2s", "200ms", "5us", "100ns", or a plain number
 *
 * Return: false, with a message, if the argument is no time.
 */
bool take_time(const struct option_doc *o, const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "s", NS_S }, { "ms", NS_MS }, { "us", NS_US }, { "ns", 1 }, { "m", 60 * NS_S },
	};
	const char *plain = o->unit == NS_S ? "s" : o->unit == NS_MS ? "ms" : "ns";
	double *ns = o->to, unit = o->unit;
	unsigned int i;
	char *end;

	*ns = strtod(text, &end);
	if (end != text && *end) {
		for (i = 0; i < sizeof(units) / sizeof(*units) && strcmp(units[i].name, end); i++)
			;
		unit = i < sizeof(units) / sizeof(*units) ? units[i].ns : 0;
	}
	*ns *= unit;
	if (end != text && unit > 0 && isfinite(*ns) && *ns >= o->least && *ns <= o->most)
		return true;
	return complain("%s: not a time from %g to %g s; %s, or a plain number of %s", text,
			o->least / NS_S, o->most / NS_S, "2s, 200ms, 5us, 100ns", plain);
}
