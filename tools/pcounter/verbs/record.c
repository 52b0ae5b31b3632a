// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter record: packets of record mode from where the GPU has put them into
 * a file, at full rate.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/stream.h"
#include "verbs/verbs.h"

#define DATA_PAGES	16
#define ROUND		0.02	/* seconds between two looks */
#define SILENCE		1.0	/* after so many it is worth a look whether anything counts */
#define MAX_ROUNDS	50	/* that others get to take their turns, or to end */
#define CLOCK_MS	50

static const char *const loss_name[LOSSES] = {
	"overrun", "missing", "merged", "saturated", "gaps", "unread",
};

/**
 * struct recording - what is asked for
 * @path: name of the file
 * @pages: of each AUX area
 * @duration: milliseconds, 0: until the command ends, or somebody says so
 * @command: a command, NULL for none
 * @file: the file
 * @n: number of streams
 * @stream: the streams
 */
struct recording {
	const char *path;
	unsigned long pages;
	unsigned long duration;
	char **command;
	struct capture file;
	unsigned int n;
	struct stream *stream;
};

/* ---- perf ---- */

static int perf_open(struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* perf's clock: what it says of an event that is caused here and now. */
static uint64_t perf_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = perf_open(&attr, 0, -1, -1);
	struct perf_event_mmap_page *map;
	uint64_t now = 0;
	char name[16];

	if (fd < 0)
		return 0;
	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, name);
		if (map->data_head >= sizeof(now))
			memcpy(&now, (char *)map + page + map->data_head - sizeof(now),
			       sizeof(now));
		munmap(map, 2 * page);
	}
	close(fd);
	return now;
}

static int open_member(struct stream *s, unsigned int i)
{
	const struct event *event = &s->group->event[i];
	struct perf_event_attr attr = {
		.type = event->pmu->type, .config = event->config[0],
		.config1 = event->config[1], .config2 = event->config[2],
		.sample_period = !i, .disabled = !i,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_type = i ? 0 : PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	};

	s->fd[i] = perf_open(&attr, -1, event->pmu->cpu, i ? s->fd[0] : -1);
	return s->fd[i] < 0 ? -errno : 0;
}

static bool stream_map(struct stream *s, unsigned long pages)
{
	size_t page = sysconf(_SC_PAGESIZE), data = (1 + DATA_PAGES) * page;

	s->page = mmap(NULL, data, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd[0], 0);
	if (s->page == MAP_FAILED)
		return false;
	s->size = pages * page;
	s->page->aux_offset = data;
	s->page->aux_size = s->size;
	s->aux = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd[0], data);
	return s->aux != MAP_FAILED;
}

/* Record mode asks for more than counting, and of an awake GPU. */
static void explain_open(int err, char *why, size_t len)
{
	if (err == -EAGAIN)
		snprintf(why, len, "the GPU is asleep; it records once something uses it");
	else if (err == -EACCES && !may_record())
		snprintf(why, len, "the GPU writes to memory, so this needs CAP_PERFMON:\n"
			 "  sudo setcap cap_perfmon+ep $(which pcounter)");
	else
		count_explain(err, why, len);
}

static bool stream_open(struct stream *s, unsigned long pages)
{
	char why[WHY_TEXT * 3];
	unsigned int i;
	int err;

	for (i = 0; i < s->group->nr; i++) {
		err = open_member(s, i);
		if (err) {
			explain_open(err, why, sizeof(why));
			complain("%s: %s", s->group->event[i].text, why);
			return false;
		}
	}
	if (stream_map(s, pages))
		return true;
	complain("%s: no AUX area of %lu pages: %s", s->group->event[0].text, pages,
		 strerror(errno));
	return false;
}

/* ---- the run ---- */

/* How long the events have counted: it stands still when the GPU is gone. */
static uint64_t time_running(const struct stream *s)
{
	uint64_t words[2];

	return read(s->fd[0], words, sizeof(words)) == sizeof(words) ? words[1] : 0;
}

static bool complain_gone(const struct stream *s)
{
	complain("%s domain %u counts no more: the GPU has left, was reset or failed: see dmesg",
		 s->group->event[0].pmu->name, s->verdict.req[0].dom);
	return false;
}

/* Nothing has come, and the event has been enabled since: does it count at all? */
static bool check_silence(struct stream *s)
{
	uint64_t running;

	if (seconds() < s->heard + SILENCE)
		return true;
	running = time_running(s);
	if (running == s->running)
		return complain_gone(s);
	s->running = running;
	s->heard = seconds();
	return true;
}

/* An event whose area was full has been disabled; for others this is nothing. */
static bool stream_go_on(struct stream *s, struct capture *file)
{
	uint64_t before = s->tail;

	if (!stream_drain(s, file))
		return false;
	if (s->tail == before || s->full)
		ioctl(s->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	s->full = false;
	if (s->tail == before)
		return check_silence(s);
	s->heard = seconds();
	return true;
}

static bool describe(struct recording *rec, const double *hz)
{
	unsigned int i;

	if (!capture_create(&rec->file, rec->path, perf_clock()))
		return false;
	for (i = 0; i < rec->n; i++)
		if (!stream_describe(&rec->stream[i], &rec->file, hz[i]))
			return false;
	return true;
}

static void switch_all(const struct recording *rec, unsigned long request)
{
	unsigned int i;

	for (i = 0; i < rec->n; i++)
		ioctl(rec->stream[i].fd[0], request, 0);
}

/*
 * Would all count if they went on? A command often ends because the GPU has. What comes
 * of this stays in the area: reading an event that is enabled would ask for packets, too.
 */
static bool all_count(struct recording *rec)
{
	const struct stream *gone = NULL;
	unsigned int round, i;

	for (i = 0; i < rec->n; i++)
		rec->stream[i].running = time_running(&rec->stream[i]);
	for (round = 0; round < MAX_ROUNDS; round++) {
		switch_all(rec, PERF_EVENT_IOC_ENABLE);
		usleep(ROUND * 1e6);
		switch_all(rec, PERF_EVENT_IOC_DISABLE);
		gone = NULL;
		for (i = 0; i < rec->n; i++)
			if (time_running(&rec->stream[i]) == rec->stream[i].running)
				gone = &rec->stream[i];
		if (!gone)
			return true;
	}
	return complain_gone(gone);
}

/* What did not end in order has no end in the file. */
static bool finish(struct recording *rec, bool good)
{
	unsigned int i;

	switch_all(rec, PERF_EVENT_IOC_DISABLE);
	for (i = 0; i < rec->n; i++)
		good &= stream_rest(&rec->stream[i], &rec->file);
	good = good && all_count(rec);
	for (i = 0; good && i < rec->n; i++)
		good = capture_block(&rec->file, PCOUNTER_CAPTURE_END, i, NULL, 0);
	return good;
}

static void summary(const struct recording *rec)
{
	unsigned int i, k;

	for (i = 0; i < rec->n; i++) {
		const struct stream *s = &rec->stream[i];

		fprintf(stderr, "%s domain %u: %llu packets", s->group->event[0].pmu->name,
			s->verdict.req[0].dom, (unsigned long long)(s->tail / s->packet));
		for (k = 0; k < LOSSES; k++)
			if (s->loss[k])
				fprintf(stderr, ", %llu %s", (unsigned long long)s->loss[k],
					loss_name[k]);
		fputc('\n', stderr);
	}
}

/* Packets come from now on: the first pair can be as late as that. */
static void enable(struct recording *rec)
{
	uint64_t now = perf_clock();
	unsigned int i;

	for (i = 0; i < rec->n; i++) {
		rec->stream[i].time = now;
		rec->stream[i].heard = seconds();
	}
	switch_all(rec, PERF_EVENT_IOC_ENABLE);
}

static bool run(struct recording *rec)
{
	double end = seconds() + rec->duration / 1e3;
	int child = -1, status = 0;
	bool good = true;
	pid_t pid = 0;
	unsigned int i;

	enable(rec);
	if (rec->command)
		pid = start_command(rec->command, false, &child);
	while (good && !stopped && (!rec->duration || seconds() < end)) {
		if (wait_fd(child, ROUND) > 0)
			break;
		for (i = 0; good && i < rec->n; i++)
			good = stream_go_on(&rec->stream[i], &rec->file);
	}
	good = finish(rec, good);
	if (pid > 0)
		status = end_command(pid);
	if (child >= 0)
		close(child);
	return good && pid >= 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == EXEC_FAILED);
}

static bool is_record(const struct stream *s)
{
	unsigned int i;

	if (s->group->nr > GROUP_EVENTS || s->group->event[0].pmu->idle)
		return false;
	for (i = 0; i < s->group->nr; i++)
		if (s->verdict.req[i].set.mode != PCOUNTER_MODE_RECORD ||
		    s->verdict.req[i].dom != s->verdict.req[0].dom)
			return false;
	return true;
}

static int prepare(struct recording *rec, const struct groups *groups, double *hz)
{
	double clocks[PCOUNTER_MAX_DOMAINS];
	unsigned int i;

	for (i = 0; i < rec->n; i++) {
		struct stream *s = &rec->stream[i];

		s->number = i;
		s->group = &groups->group[i];
		verdict_group(s->group, &s->verdict);
		if (s->verdict.err) {
			complain("%s: %s", s->group->event[s->verdict.member].text,
				 s->verdict.why);
			return STATUS_NO;
		}
		if (!is_record(s)) {
			complain("%s: not a group of record mode on one domain",
				 s->group->event[0].text);
			return STATUS_USAGE;
		}
		s->packet = sizeof(struct pcounter_record_packet) >> s->verdict.req[0].set.brief;
	}
	for (i = 0; i < rec->n; i++) {
		measure_clocks(groups->group[i].event[0].pmu, CLOCK_MS, clocks);
		hz[i] = clocks[rec->stream[i].verdict.req[0].dom];
	}
	for (i = 0; i < rec->n; i++)
		if (!stream_open(&rec->stream[i], rec->pages))
			return STATUS_NO;
	return STATUS_OK;
}

static int record(struct recording *rec, const struct groups *groups)
{
	double hz[PCOUNTER_MAX_DOMAINS] = {};
	int status;
	unsigned int i, k;

	rec->n = groups->nr;
	rec->stream = rec->n <= PCOUNTER_MAX_DOMAINS ? calloc(rec->n, sizeof(*rec->stream)) : NULL;
	if (!rec->stream) {
		complain("too many groups");
		return STATUS_USAGE;
	}
	/* whatever is refused: none that is not open is closed */
	for (i = 0; i < rec->n; i++)
		memset(rec->stream[i].fd, -1, sizeof(rec->stream[i].fd));
	status = prepare(rec, groups, hz);
	if (status == STATUS_OK) {
		rec->file.fd = -1;
		if (!describe(rec, hz) || !run(rec))
			status = STATUS_NO;
		if (rec->file.fd >= 0 && !capture_close(&rec->file))
			status = STATUS_NO;
		summary(rec);
	}
	for (i = 0; i < rec->n; i++)
		for (k = 0; k < GROUP_EVENTS; k++)
			if (rec->stream[i].fd[k] >= 0)
				close(rec->stream[i].fd[k]);
	free(rec->stream);
	return status;
}

static const struct option_doc options[] = {
	{ 'o', "output", "FILE", "the file (default: pcounter.data)" },
	{ 'm', "mmap-pages", "PAGES", "size of each AUX area, a power of 2 (default: 1024)" },
	{ 'd', "duration", "MS", "end after so many milliseconds" },
	{ }
};

static bool take_option(int c, struct recording *rec)
{
	switch (c) {
	case 'm':
		return verb_number(optarg, 1, 1 << 17, &rec->pages);
	case 'd':
		return verb_number(optarg, 1, 1000000000, &rec->duration);
	default:
		rec->path = optarg;
		return true;
	}
}

static int run_record(const struct verb *verb, int argc, char **argv)
{
	struct recording rec = { .path = "pcounter.data", .pages = 1024 };
	struct groups groups = {};
	char why[WHY_TEXT];
	struct pmus pmus;
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		if (!take_option(c, &rec))
			return STATUS_USAGE;
	if (optind == argc) {
		complain("record what? Try: pcounter record --help");
		return STATUS_USAGE;
	}
	rec.command = argv + optind + 1;
	if (*rec.command && !strcmp(*rec.command, "--"))
		rec.command++;
	if (!*rec.command)
		rec.command = NULL;
	pmus_find(&pmus);
	if (!pmus.nr) {
		complain("no GPU with counters");
		status = STATUS_NO_GPU;
	} else if (!groups_parse(&pmus, argv[optind], &groups, why)) {
		complain("%s", why);
		status = STATUS_USAGE;
	} else {
		catch_signals();
		status = record(&rec, &groups);
	}
	groups_free(&groups);
	pmus_free(&pmus);
	return status;
}

const struct verb verb_record = {
	.name = "record",
	.args = "EVENTS [-- COMMAND...]",
	.summary = "capture the packets of record mode in a file, at full rate",
	.text =
		"The GPU (G84 to GT215) writes packets of counters into memory that the\n"
		"program has mapped, and from there they go into the file; nothing is copied\n"
		"on the way. EVENTS are groups of events of record mode, as perf takes them;\n"
		"the events of a group are counters of the same packets, of one domain, and\n"
		"each group is a stream of its own.\n"
		"\n"
		"It goes on until the command ends, the time is over, or a signal comes (^C).\n"
		"Then it says how many packets of each domain there are, and what was lost:\n"
		"overrun (overwritten before they were taken), missing (never arrived), merged\n"
		"(requests that found a packet still on its way), saturated (with a full\n"
		"counter), gaps (recording began anew), unread (there was no room: a file\n"
		"system too slow, or --mmap-pages too small; an estimate).\n"
		"\n"
		"The exit status is 1, and the file has no end, which pcounter report tells, if\n"
		"the GPU leaves, is reset or fails meanwhile, if others record the same domain\n"
		"so that counters are in other places, or if the file cannot be written.\n"
		"\n"
		"The format of the file is in linux/pcounter_capture.h.\n",
	.options = options,
	.example = "pcounter record -o run.data pcounter_0/record,dom=1,sig=0x10/ -- sleep 1",
	.run = run_record,
};
