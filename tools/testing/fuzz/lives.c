// SPDX-License-Identifier: GPL-2.0-only
/*
 * lives: let events of the PMUs named pcounter_* and of others end in any order.
 *
 * Processes open groups of our events and of software events, redirect their output,
 * map their buffers, fork, pass events to each other, and end with all of them open.
 * With CPU hotplug they meet a fault of perf itself: see orphan.c. Between rounds no
 * process exists, so that the module can be unloaded. Each process draws from a
 * sequence of its own: the same seed makes the same choices, in an order that the
 * scheduler decides. The seed is printed when events of a GPU have been opened: from then
 * on GPUs may go.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PMUS		"/sys/bus/event_source/devices"
#define MAX_KINDS	48
#define MAX_EVENTS	12
#define WORKERS		4
#define FIRST_ROUNDS	100
#define PAGE		4096
#define DATA_LEN	(9 * PAGE)
#define AUX_LEN		(16 * PAGE)

/* A kind of event that can be opened. */
struct kind {
	uint32_t type;
	uint64_t config[3];
	bool sampled;
	char pmu[32];
};

/* An open event, and its mappings. */
struct event {
	int fd;
	struct perf_event_mmap_page *data;
	void *aux;
};

/* Counters of actions, in all processes. */
enum {
	OPENED, SOFTWARE, JOINED, REDIRECTED, MAPPED, AUX, FORKED, PASSED, TAKEN, NR_COUNTS,
};

static const char *const count_names[NR_COUNTS] = {
	"ours opened", "software opened", "in groups", "redirected", "mapped", "AUX areas",
	"forks", "passed on", "taken over",
};

static unsigned long *counts;
static struct kind kinds[MAX_KINDS];
static unsigned int nr_kinds;
static struct event events[MAX_EVENTS];
static int mail[2] = { -1, -1 };
static int cgroup_fd = -1;
static uint64_t state;
static unsigned int depth;

static void note(unsigned int what)
{
	__atomic_add_fetch(&counts[what], 1, __ATOMIC_RELAXED);
}

static uint32_t rnd(uint32_t n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

static bool one_in(unsigned int n)
{
	return !rnd(n);
}

/* ---- PMUs and events ---- */

static bool read_line(const char *pmu, const char *file, char *line, size_t len)
{
	char path[512];
	FILE *f;
	bool good;

	snprintf(path, sizeof(path), PMUS "/%s/%s", pmu, file);
	f = fopen(path, "r");
	good = f && fgets(line, len, f);
	if (f)
		fclose(f);
	return good;
}

static bool put_term(struct kind *kind, const char *term, uint64_t value)
{
	unsigned int word = 0, first;
	char file[64], line[64];

	snprintf(file, sizeof(file), "format/%s", term);
	if (!read_line(kind->pmu, file, line, sizeof(line)))
		return false;
	if (sscanf(line, "config%u:%u", &word, &first) != 2 &&
	    sscanf(line, "config:%u", &first) != 1)
		return false;
	kind->config[word % 3] |= value << first;
	return true;
}

/* "dom=1,clk" */
static void add_kind(const char *pmu, const char *terms)
{
	struct kind kind = { .sampled = strstr(terms, "record") };
	char words[64], line[64], *word, *save, *value;

	snprintf(kind.pmu, sizeof(kind.pmu), "%s", pmu);
	if (nr_kinds == MAX_KINDS || !read_line(pmu, "type", line, sizeof(line)))
		return;
	kind.type = strtoul(line, NULL, 10);
	snprintf(words, sizeof(words), "%s", terms);
	for (word = strtok_r(words, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		value = strchr(word, '=');
		if (value)
			*value++ = 0;
		if (!put_term(&kind, word, value ? strtoul(value, NULL, 0) : 1))
			return;
	}
	kinds[nr_kinds++] = kind;
}

static void add_pmu(const char *pmu)
{
	static const char *const terms[] = {
		"dom=1,sig=16", "dom=1,clk", "dom=2,sig=3", "dom=0,clk", "clk",
		"record,dom=5,sig=16,periodic=1", "record,dom=6,sig=17,periodic=3",
		"record,dom=1,sig=17,periodic=3", "when=2", "mask=1,when=1",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(terms); i++)
		add_kind(pmu, terms[i]);
}

/* PMUs come and go. */
static void scan(void)
{
	struct dirent *entry;
	DIR *dir = opendir(PMUS);

	nr_kinds = 0;
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "pcounter_", 9))
			add_pmu(entry->d_name);
	if (dir)
		closedir(dir);
}

/* ---- actions ---- */

static struct event *any_event(void)
{
	return &events[rnd(MAX_EVENTS)];
}

static void unmap(void **at, size_t len)
{
	if (*at)
		munmap(*at, len);
	*at = NULL;
}

/* A map may outlive the descriptor, and the AUX area the buffer, or vice versa. */
static void do_close(struct event *e)
{
	unsigned int order = rnd(4);

	if (e->fd < 0)
		return;
	if (order & 1)
		close(e->fd);
	if (order & 2)
		unmap((void **)&e->data, DATA_LEN);
	unmap(&e->aux, AUX_LEN);
	unmap((void **)&e->data, DATA_LEN);
	if (!(order & 1))
		close(e->fd);
	e->fd = -1;
}

static void close_any(void)
{
	do_close(any_event());
}

static int open_ours(struct perf_event_attr *attr, int leader, unsigned long flags)
{
	const struct kind *kind = &kinds[rnd(nr_kinds)];
	int fd;

	attr->type = kind->type;
	attr->config = kind->config[0];
	attr->config1 = kind->config[1];
	attr->config2 = kind->config[2];
	if (kind->sampled) {
		attr->sample_period = 1 + rnd(100);
		attr->sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	}
	fd = syscall(SYS_perf_event_open, attr, -1, 0, leader, flags);
	if (fd < 0)
		fd = syscall(SYS_perf_event_open, attr, -1, 1, leader, flags);
	if (fd >= 0)
		note(OPENED);
	else if (one_in(4))
		scan();
	return fd;
}

static int open_software(struct perf_event_attr *attr, int leader, unsigned long flags)
{
	static const uint64_t which[] = {
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_TASK_CLOCK,
	};
	int pid = -1, cpu = one_in(8), fd;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = which[rnd(ARRAY_SIZE(which))];
	if (one_in(4))
		attr->sample_period = 100000 + rnd(1000000);
	if (one_in(6)) {
		pid = 0;
		cpu = -1;
	} else if (cgroup_fd >= 0 && one_in(6)) {
		pid = cgroup_fd;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, flags);
	if (fd >= 0)
		note(SOFTWARE);
	return fd;
}

static void open_any(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct event *e = any_event();
	int leader = one_in(3) ? -1 : any_event()->fd;
	unsigned long flags = 0;

	do_close(e);
	if (!nr_kinds)
		scan();
	attr.disabled = one_in(3);
	attr.inherit = one_in(4);
	attr.pinned = leader < 0 && one_in(4);
	attr.read_format = one_in(2) ? PERF_FORMAT_GROUP : 0;
	if (leader >= 0 && one_in(4))
		flags |= PERF_FLAG_FD_OUTPUT | (one_in(2) ? PERF_FLAG_FD_NO_GROUP : 0);
	e->fd = nr_kinds && one_in(2) ? open_ours(&attr, leader, flags) :
					open_software(&attr, leader, flags);
	if (e->fd >= 0 && leader >= 0 && !(flags & PERF_FLAG_FD_NO_GROUP))
		note(JOINED);
}

static void redirect(void)
{
	int to = one_in(8) ? -1 : any_event()->fd;

	if (!ioctl(any_event()->fd, PERF_EVENT_IOC_SET_OUTPUT, to) && to >= 0)
		note(REDIRECTED);
}

static void *map(int fd, size_t len, off_t offset)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	return at == MAP_FAILED ? NULL : at;
}

static void map_any(void)
{
	struct event *e = any_event();

	if (e->fd < 0)
		return;
	if (!e->data) {
		e->data = map(e->fd, DATA_LEN, 0);
		if (!e->data)
			return;
		note(MAPPED);
	}
	if (e->aux) {
		e->data->aux_tail = e->data->aux_head;
		return;
	}
	e->data->aux_offset = DATA_LEN;
	e->data->aux_size = AUX_LEN;
	e->aux = map(e->fd, AUX_LEN, DATA_LEN);
	if (e->aux)
		note(AUX);
}

static void unmap_any(void)
{
	struct event *e = any_event();

	if (one_in(2))
		unmap((void **)&e->data, DATA_LEN);
	else
		unmap(&e->aux, AUX_LEN);
}

static void control(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_RESET,
	};

	ioctl(any_event()->fd, requests[rnd(ARRAY_SIZE(requests))],
	      one_in(2) ? PERF_IOC_FLAG_GROUP : 0);
}

static void read_any(void)
{
	char buf[512];
	ssize_t got = read(any_event()->fd, buf, sizeof(buf));

	(void)got;
}

/* Switch tasks, on either CPU. */
static void rest(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(rnd(2), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	usleep(rnd(3000));
}

/* Send an event to another process; in flight it belongs to no process. */
static void pass_on(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {};
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct event *e = any_event();

	if (e->fd < 0)
		return;
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &e->fd, sizeof(int));
	if (sendmsg(mail[0], &msg, MSG_DONTWAIT) == 1)
		note(PASSED);
}

static void take_over(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {};
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct event *e = any_event();

	do_close(e);
	if (recvmsg(mail[1], &msg, MSG_DONTWAIT) != 1 || !CMSG_FIRSTHDR(&msg))
		return;
	memcpy(&e->fd, CMSG_DATA(&control.head), sizeof(int));
	note(TAKEN);
}

/* Return true if an event of the PMU can be opened. */
static bool is_registered(const struct kind *kind)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .disabled = 1, .config = kind->config[0],
		.config1 = kind->config[1], .config2 = kind->config[2],
	};
	char line[64];
	int fd;

	if (!read_line(kind->pmu, "type", line, sizeof(line)))
		return false;
	attr.type = strtoul(line, NULL, 10);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		fd = syscall(SYS_perf_event_open, &attr, -1, 1, -1, 0);
	return fd >= 0 && !close(fd);
}

/*
 * Set perf's rotation interval; a write starts its timer. The file is there before the
 * timer is: a write while perf registers the PMU crashes perf (seen on 6.12.117). The open
 * file belongs to this PMU, which refuses events until it is registered.
 */
static void set_interval(void)
{
	const struct kind *kind;
	char path[256];
	int file;

	if (!nr_kinds)
		return;
	kind = &kinds[rnd(nr_kinds)];
	snprintf(path, sizeof(path), PMUS "/%s/perf_event_mux_interval_ms", kind->pmu);
	file = open(path, O_WRONLY);
	if (file < 0)
		return;
	if (is_registered(kind))
		dprintf(file, "%u", 1 + rnd(20));
	close(file);
}

/* ---- processes ---- */

static void act(unsigned int steps);

/* Fork. The child inherits all descriptors, but not perf's maps. */
static void beget(void)
{
	unsigned int i;
	pid_t pid;

	if (depth == 2 || one_in(2))
		return;
	pid = fork();
	if (pid > 0)
		note(FORKED);
	if (pid)
		return;
	for (i = 0; i < MAX_EVENTS; i++) {
		events[i].data = NULL;
		events[i].aux = NULL;
	}
	depth++;
	state += getpid();
	act(rnd(20));
	_exit(0);
}

static void act(unsigned int steps)
{
	static void (*const what[])(void) = {
		open_any, open_any, open_any, open_any, open_any, open_any, close_any, close_any,
		redirect, redirect, map_any, map_any, map_any, unmap_any, control, control,
		read_any, rest, rest, pass_on, take_over, set_interval, beget,
	};

	while (steps--)
		what[rnd(ARRAY_SIZE(what))]();
}

/* End with all events open, or without; by itself, or killed. */
static void live(uint64_t seed)
{
	unsigned int closes;

	state = seed;
	scan();
	act(10 + rnd(100));
	if (one_in(3))
		kill(getpid(), SIGKILL);
	for (closes = rnd(4 * MAX_EVENTS); closes; closes--)
		close_any();
	_exit(0);
}

/* Return true if an event of a GPU and a group were opened. */
static bool has_met_ours(void)
{
	return counts[OPENED] && counts[JOINED];
}

/* When this returns, all workers and their children have ended. */
static void one_round(uint64_t seed)
{
	unsigned int i;

	/* without the sockets no event is passed on */
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, mail))
		memset(mail, -1, sizeof(mail));
	for (i = 0; i < WORKERS; i++)
		if (!fork())
			live(seed * WORKERS + i);
	/* events still in the sockets are closed here, or with the last process */
	close(mail[0]);
	close(mail[1]);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	unsigned long seed = time(NULL), rounds = 0;
	unsigned int seconds = 10, i;
	time_t end;
	int c;

	while ((c = getopt(argc, argv, "s:t:g:")) != -1) {
		if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (c == 't')
			seconds = atoi(optarg);
		else if (c == 'g')
			cgroup_fd = open(optarg, O_RDONLY);
		else
			return 2;
	}
	/* orphans are waited for, too */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	for (i = 0; i < MAX_EVENTS; i++)
		events[i].fd = -1;
	while (!has_met_ours() && rounds < FIRST_ROUNDS)
		one_round(seed + rounds++);
	printf("seed %lu\n", seed);
	fflush(stdout);
	for (end = time(NULL) + seconds; time(NULL) < end; usleep(20000))
		one_round(seed + rounds++);
	printf("%lu rounds", rounds);
	for (i = 0; i < NR_COUNTS; i++)
		printf(", %lu %s", counts[i], count_names[i]);
	printf("\n");
	return has_met_ours() ? 0 : 1;
}
