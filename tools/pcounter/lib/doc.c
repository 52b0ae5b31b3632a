// SPDX-License-Identifier: GPL-2.0-only
/*
 * Manual pages and shell completion, made from the same tables as the help.
 */
#include <string.h>

#include "lib/tool.h"

/* Text for roff: what it would take for its own is quoted. */
static void roff(const char *text, FILE *out)
{
	bool start = true;

	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (start && *text == '\n')
			fputs(".PP", out);
		start = *text == '\n';
		if (*text == '-' || *text == '\\')
			fprintf(out, "\\%c", *text == '-' ? '-' : 'e');
		else
			fputc(*text, out);
	}
	if (!start)
		fputc('\n', out);
}

static void roff_head(const char *name, const char *summary, FILE *out)
{
	fprintf(out, ".TH %s 1 \"\" \"pcounter %s\"\n.SH NAME\n", name, PCOUNTER_VERSION);
	fputs(name, out);
	fputs(" \\- ", out);
	roff(summary, out);
}

static void roff_option(const struct option_doc *o, FILE *out)
{
	fputs(".TP\n", out);
	if (o->letter < 256)
		fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
	fprintf(out, "\\fB\\-\\-");
	for (const char *c = o->name; *c; c++)
		fprintf(out, "%s%c", *c == '-' ? "\\" : "", *c);
	fputs("\\fR", out);
	if (o->arg)
		fprintf(out, " \\fI%s\\fR", o->arg);
	fputc('\n', out);
	roff(o->text, out);
}

static const char common[] =
	"0 done; 1 it did not work, or the answer is no; 2 wrong usage;\n"
	"3 no GPU that could be asked; 130 interrupted before it was done.\n";

static void manual_verb(const struct verb *verb, FILE *out)
{
	static const struct option_doc help = { 'h', "help", NULL, "print a summary" };
	const struct option_doc *o;
	char name[64];

	snprintf(name, sizeof(name), "pcounter-%s", verb->name);
	roff_head(name, verb->summary, out);
	fprintf(out, ".SH SYNOPSIS\n.B pcounter %s\n[options] %s\n", verb->name,
		verb->args);
	fputs(".SH DESCRIPTION\n", out);
	roff(verb->text, out);
	fputs(".SH OPTIONS\n", out);
	for (o = verb->options; o->name; o++)
		roff_option(o, out);
	roff_option(&help, out);
	fputs(".SH EXIT STATUS\n", out);
	roff(common, out);
	fputs(".SH EXAMPLE\n.nf\n", out);
	roff(verb->example, out);
	fputs(".fi\n.SH SEE ALSO\n.BR pcounter (1),\n.BR perf\\-stat (1)\n", out);
}

static void manual_main(const struct verb *const *verbs, FILE *out)
{
	unsigned int i;

	roff_head("pcounter", "performance counters of NVIDIA GPUs, beside perf", out);
	fputs(".SH SYNOPSIS\n.B pcounter\n.I verb\n[options]\n.SH DESCRIPTION\n", out);
	roff("perf counts the events of the PMUs pcounter_0, pcounter_1 and so on. This\n"
	     "program does what one wants beside that.\n"
	     "\n"
	     "What is for programs goes to stdout, everything else to stderr. SIGINT ends\n"
	     "a run in good order: what was written can be parsed. Colours appear on\n"
	     "terminals only, and not with NO_COLOR in the environment.\n", out);
	fputs(".SH VERBS\n", out);
	for (i = 0; verbs[i]; i++) {
		fprintf(out, ".TP\n.BR pcounter\\-%s (1)\n", verbs[i]->name);
		roff(verbs[i]->summary, out);
	}
	fputs(".SH EXIT STATUS\n", out);
	roff(common, out);
	fputs(".SH SEE ALSO\n.BR perf (1)\n", out);
}

/**
 * doc_manual() - a manual page
 * @verbs: all verbs, ended by NULL
 * @name: of which verb; empty: of the program
 * @out: where to
 *
 * Return: exit status.
 */
int doc_manual(const struct verb *const *verbs, const char *name, FILE *out)
{
	unsigned int i;

	if (!*name) {
		manual_main(verbs, out);
		return STATUS_OK;
	}
	for (i = 0; verbs[i]; i++) {
		if (strcmp(verbs[i]->name, name))
			continue;
		manual_verb(verbs[i], out);
		return STATUS_OK;
	}
	complain("%s: no such verb", name);
	return STATUS_USAGE;
}

/* ---- completion ---- */

#define GPU_NAMES	"cat /sys/bus/event_source/devices/pcounter_*/caps/device 2>/dev/null"
#define EVENT_NAMES	"pcounter events --all --countable --names 2>/dev/null"

/* What can stand for an argument: how bash and zsh find it. */
static const struct kind {
	const char *arg;
	const char *words;	/* a command that prints them; NULL: files */
	const char *action;
} kinds[] = {
	{ "EVENT", EVENT_NAMES, "_pcounter_events" },
	{ "EVENTS", EVENT_NAMES, "_pcounter_events" },
	{ "EVENT...", EVENT_NAMES, "_pcounter_events" },
	{ "[PATTERN]", EVENT_NAMES, "_pcounter_events" },
	{ "METRIC,...", "pcounter events --names 2>/dev/null", "_pcounter_metrics" },
	{ "GPU", GPU_NAMES, "_pcounter_gpus" },
	{ "[GPU]", GPU_NAMES, "_pcounter_gpus" },
	{ "FILE", NULL, "_files" },
	{ "[FILE]", NULL, "_files" },
};

static const struct kind *kind_of(const char *arg)
{
	unsigned int i;

	for (i = 0; arg && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].arg, arg))
			return &kinds[i];
	return NULL;
}

/* Options that take something which can be found. */
static void bash_option(const struct verb *verb, const struct option_doc *o, FILE *out)
{
	const struct kind *kind = kind_of(o->arg);

	if (!kind)
		return;
	fprintf(out, "\t'%s --%s'", verb->name, o->name);
	if (o->letter < 256)
		fprintf(out, " | '%s -%c'", verb->name, o->letter);
	if (kind->words)
		fprintf(out, ") words=$(%s) ;;\n", kind->words);
	else
		fputs(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", out);
}

static void bash_verb(const struct verb *verb, FILE *out)
{
	const struct kind *kind = kind_of(verb->args);
	const struct option_doc *o;

	fprintf(out, "\t\t%s) words='--help", verb->name);
	for (o = verb->options; o->name; o++)
		fprintf(out, " --%s", o->name);
	fputc('\'', out);
	if (kind && kind->words)
		fprintf(out, "\" $(%s)\"", kind->words);
	fputs(" ;;\n", out);
}

/* Lists are completed behind their last comma. */
static void bash(const struct verb *const *verbs, FILE *out)
{
	const struct option_doc *o;
	unsigned int i;

	fputs("# bash completion for pcounter\n_pcounter()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= list=\n"
	      "\tCOMPREPLY=()\n"
	      "\tcase \"${COMP_WORDS[1]} $prev\" in\n", out);
	for (i = 0; verbs[i]; i++)
		for (o = verbs[i]->options; o->name; o++)
			bash_option(verbs[i], o, out);
	fputs("\tesac\n"
	      "\tif [ $COMP_CWORD -eq 1 ]; then\n\t\twords='--help --version", out);
	for (i = 0; verbs[i]; i++)
		fprintf(out, " %s", verbs[i]->name);
	fputs("'\n\telif [ -z \"$words\" ]; then\n\t\tcase ${COMP_WORDS[1]} in\n", out);
	for (i = 0; verbs[i]; i++)
		bash_verb(verbs[i], out);
	fputs("\t\tesac\n\tfi\n"
	      "\tcase $cur in *,*) list=${cur%,*}, ;; esac\n"
	      "\tCOMPREPLY=($(compgen -P \"$list\" -W \"$words\" -- \"${cur##*,}\"))\n"
	      "\tif declare -F __ltrim_colon_completions >/dev/null; then\n"
	      "\t\t__ltrim_colon_completions \"$cur\"\n\tfi\n}\n"
	      "complete -o default -F _pcounter pcounter\n", out);
}

/* Text in single quotes inside brackets. */
static void zsh_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void zsh_spec(const struct option_doc *o, const char *dashes, const char *name,
		     const char *end, FILE *out)
{
	const struct kind *kind = kind_of(o->arg);

	fprintf(out, "\t\t'*%s%s%s[", dashes, name, o->arg ? end : "");
	zsh_text(o->text, out);
	fputc(']', out);
	if (o->arg) {
		fputc(':', out);
		zsh_text(o->arg, out);
		fprintf(out, ":%s", kind ? kind->action : "");
	}
	fputs("' \\\n", out);
}

static void zsh_verb(const struct verb *verb, FILE *out)
{
	const struct kind *kind = kind_of(verb->args);
	const struct option_doc *o;

	fprintf(out, "\t%s) _arguments \\\n", verb->name);
	for (o = verb->options; o->name; o++) {
		const char letter[] = { o->letter, 0 };

		zsh_spec(o, "--", o->name, "=", out);
		if (o->letter < 256)
			zsh_spec(o, "-", letter, "+", out);
	}
	fputs("\t\t'--help[this text]' ", out);
	if (kind)
		fprintf(out, "'*:what:%s' ;;\n", kind->action);
	else
		fputs("'*::: :_normal' ;;\n", out);
}

static void zsh_words(const char *arg, FILE *out)
{
	const struct kind *kind = kind_of(arg);

	fprintf(out, "%s()\n{\n\tlocal -a found\n\tfound=(${(f)\"$(%s)\"})\n"
		"\tcompset -P '*,'\n\tcompadd -a found\n}\n", kind->action, kind->words);
}

static void zsh(const struct verb *const *verbs, FILE *out)
{
	unsigned int i;

	fputs("#compdef pcounter\n", out);
	zsh_words("EVENT", out);
	zsh_words("METRIC,...", out);
	zsh_words("GPU", out);
	fputs("_pcounter()\n{\n"
	      "\tif (( CURRENT == 2 )); then\n\t\tlocal -a verbs=(\n", out);
	for (i = 0; verbs[i]; i++) {
		fprintf(out, "\t\t'%s:", verbs[i]->name);
		zsh_text(verbs[i]->summary, out);
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n", out);
	/* from here on the verb is the command */
	fputs("\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in\n", out);
	for (i = 0; verbs[i]; i++)
		zsh_verb(verbs[i], out);
	fputs("\tesac\n}\n_pcounter \"$@\"\n", out);
}

/**
 * doc_completion() - completion for a shell
 * @verbs: all verbs, ended by NULL
 * @shell: "bash" or "zsh"
 * @out: where to
 *
 * Return: exit status.
 */
int doc_completion(const struct verb *const *verbs, const char *shell, FILE *out)
{
	if (!strcmp(shell, "bash")) {
		bash(verbs, out);
	} else if (!strcmp(shell, "zsh")) {
		zsh(verbs, out);
	} else {
		complain("completion is for bash and for zsh");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}
