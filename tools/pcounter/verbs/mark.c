// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter mark: raise a USER signal of a domain while a command runs. Events that read
 * the signal count that phase alone. pcounter trigger, and mark --trigger: end periods of
 * all domains at one moment.
 */
#include <math.h>

#include "gpu/trigger.h"
#include "cli/verb.h"

static const char *wish;
static bool by_trigger;
static char **words;	/* of the command line */

/* Return the bit of a USER signal, 0 with a message if the event is none that may be driven. */
static unsigned int user_bit(const struct event *event, int dom)
{
	const struct pmu *pmu = event->pmu;
	int first = dom < 0 ? -1 : user_first(pmu, dom);
	int number = (int)event_value(event, "sig") - first;
	const char *why = "not a USER signal; pcounter events --all user lists them";

	if (!*event->error && first >= 0 && number > 0 &&
	    number <= (pmu->topo.caps & PCOUNTER_CAP_SETS ? 3 : 1))
		return 1U << number;
	if (*event->error)
		why = event->error;
	else if (!(pmu->topo.caps & PCOUNTER_CAP_USER))
		why = "the chip has no USER signals; GT215 and later have them";
	else if (first >= 0 && !number)
		why = "the driver uses USER_0 itself; take USER_1";
	complain("%s: %s", event->text, why);
	return 0;
}

static bool write_levels(const struct event *event, int dom, unsigned int levels,
			 unsigned int pulses)
{
	int err = user_drive(event->pmu, dom, levels, pulses);

	if (!err)
		return true;
	return complain("%s: %s", event->text, err == -EACCES || err == -ENOENT ?
			"only root may drive USER signals, by the files of debugfs" :
			err == -EAGAIN ? "the GPU is asleep" : strerror(-err));
}

/* Pulse a signal, or raise it while a command runs. */
static int mark(const struct event *event, char **command)
{
	int dom = event_domain(event), status = STATUS_OK;
	unsigned int bit = user_bit(event, dom);

	if (!bit)
		return STATUS_USAGE;
	if (!write_levels(event, dom, bit, *command ? 0 : bit))
		return STATUS_NO;
	if (!*command)
		return STATUS_OK;
	catch_signals();
	status = command_status(run_command(command, false, 0));
	if (!write_levels(event, dom, 0, 0))
		return STATUS_NO;
	return stopped ? STATUS_INTERRUPTED : status;
}

static int mark_gpus(const struct gpus *gpus)
{
	struct groups groups = {};
	int status = STATUS_USAGE;
	char **command = words + 1;

	command += *command && !strcmp(*command, "--");
	if (groups_parse(&gpus->pmus, *words, &groups))
		status = *command && !can_run(*command) ? STATUS_NO :
			 mark(groups.group->event, command);
	groups_free(&groups);
	return status;
}

/* Send the trigger, and with a command again when it has ended, and at times in between. */
static int trigger_gpus(const struct gpus *gpus)
{
	int status = STATUS_OK, fd;
	struct trigger trigger;
	pid_t pid;

	gpus_tell(gpus, gpus->gpu, "triggers");
	if (*words && !can_run(*words))
		return STATUS_NO;
	if (!trigger_open(&trigger, gpus->gpu))
		return STATUS_NO;
	catch_signals();
	if (trigger_send(&trigger) && *words) {
		pid = start_command(words, false, &fd);
		if (fd >= 0)
			trigger_wait(&trigger, fd, INFINITY);
		status = command_status(pid < 0 ? -1 : end_command(pid, fd));
	}
	if (trigger.failed)
		status = STATUS_NO;
	trigger_close(&trigger);
	return stopped ? STATUS_INTERRUPTED : status;
}

static int run_trigger(char **args)
{
	words = args;
	return gpus_run(wish, trigger_gpus);
}

static int run_mark(char **args)
{
	words = args;
	return gpus_run(wish, by_trigger ? trigger_gpus : mark_gpus);
}

const struct verb verb_mark = {
	.name = "mark",
	.args = "EVENT [--] [COMMAND...]",
	.summary = "raise a USER signal while a command runs, or pulse it without a command",
	.options = (const struct option_doc[]){
		{ LONG_OWN, "trigger", NULL,
		  "without EVENT: end periods of all domains before and after COMMAND",
		  OPT_FLAG(&by_trigger) },
		OPTION_DEVICE(&wish),
		{ }
	},
	.run = run_mark,
};

const struct verb verb_trigger = {
	.name = "trigger",
	.args = "",
	.summary = "end the periods of all domains at one moment, for events with swap=",
	.options = (const struct option_doc[]){ OPTION_DEVICE(&wish), { } },
	.run = run_trigger,
};
