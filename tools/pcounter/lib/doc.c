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
	fputs(".TP\n.B ", out);
	if (o->letter < 256)
		fprintf(out, "\\-%c, ", o->letter);
	fputs("\\-\\-", out);
	roff(o->name, out);
	if (o->arg)
		fprintf(out, ".I %s\n.br\n", o->arg);
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

static void bash_verb(const struct verb *verb, FILE *out)
{
	const struct option_doc *o;

	fprintf(out, "\t%s) words='--help", verb->name);
	for (o = verb->options; o->name; o++)
		fprintf(out, " --%s", o->name);
	fputc('\'', out);
	if (!strcmp(verb->name, "events") || !strcmp(verb->name, "explain"))
		fputs("\" $(pcounter events --names 2>/dev/null)\"", out);
	fputs(" ;;\n", out);
}

static void bash(const struct verb *const *verbs, FILE *out)
{
	unsigned int i;

	fputs("# bash completion for pcounter\n_pcounter()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	      "\tCOMPREPLY=()\n"
	      "\tcase $prev in\n"
	      "\t-d | --device)\n"
	      "\t\twords=$(cat /sys/bus/event_source/devices/pcounter_*/caps/device 2>/dev/null) ;;\n"
	      "\t-M | --metrics)\n"
	      "\t\twords=$(pcounter events --metrics --names 2>/dev/null) ;;\n"
	      "\t-o | --output | --picture | --trace)\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
	      "\tesac\n"
	      "\tif [ $COMP_CWORD -eq 1 ]; then\n\t\twords='--help --version", out);
	for (i = 0; verbs[i]; i++)
		fprintf(out, " %s", verbs[i]->name);
	fputs("'\n\telif [ -z \"$words\" ]; then\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (i = 0; verbs[i]; i++)
		bash_verb(verbs[i], out);
	fputs("\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
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

static void zsh_option(const struct option_doc *o, FILE *out)
{
	fprintf(out, "\t\t'--%s[", o->name);
	zsh_text(o->text, out);
	fputc(']', out);
	if (o->arg)
		fprintf(out, ":%s:%s", o->arg, strcmp(o->arg, "FILE") ? "" : "_files");
	fputs("' \\\n", out);
}

static void zsh(const struct verb *const *verbs, FILE *out)
{
	const struct option_doc *o;
	unsigned int i;

	fputs("#compdef pcounter\n_pcounter()\n{\n", out);
	fputs("\tif (( CURRENT == 2 )); then\n\t\tlocal -a verbs=(\n", out);
	for (i = 0; verbs[i]; i++) {
		fprintf(out, "\t\t'%s:", verbs[i]->name);
		zsh_text(verbs[i]->summary, out);
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n", out);
	fputs("\tcase $words[2] in\n", out);
	for (i = 0; verbs[i]; i++) {
		fprintf(out, "\t%s) _arguments \\\n", verbs[i]->name);
		for (o = verbs[i]->options; o->name; o++)
			zsh_option(o, out);
		fputs("\t\t'--help[this text]' '*::: :_normal' ;;\n", out);
	}
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
