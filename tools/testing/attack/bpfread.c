// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpfread: BPF programs that read an event of a PMU where the kernel is traced,
 * under the locks that are held there.
 *
 * usage: bpfread -p TYPE -e CONFIG[,CONFIG1,CONFIG2] -c CPU -t SECONDS WHERE...
 *
 * WHERE is raw:TRACEPOINT, or kprobe:FUNCTION, which is left out if there is no
 * such function. Each program reads at its begin and at its end, as a profiler of programs
 * does. Prints "ready", and after SECONDS or SIGTERM the results of each program,
 * then the event's count.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define MAX_WHERE	256
#define KPROBE_TYPE	"/sys/bus/event_source/devices/kprobe/type"

/* Results of a program: the value of a map. */
struct seen {
	uint64_t hits;
	uint64_t reads;
	uint64_t refused;
	uint64_t backwards;
	uint64_t last;
	uint64_t inside;	/* sum of second minus first */
};

static int fail(const char *what)
{
	fprintf(stderr, "bpfread: %s: %s\n", what, strerror(errno));
	return 1;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(uint32_t type, uint32_t value_size, uint32_t entries)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = 4, .value_size = value_size,
		.max_entries = entries,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static bool put(int map, uint32_t key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)value,
	};

	return !bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static bool get(int map, uint32_t key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)value,
	};

	return !bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

/* ---- the program ---- */

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define SUB(d, s)	INSN(BPF_ALU64 | BPF_SUB | BPF_X, d, s, 0, 0)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_IMM(d, o, i) INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, i)
#define ATOMIC_ADD(d, o, s) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define UNLESS_0(d)	INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, 0, 0)
#define IF_GREATER(d, s) INSN(BPF_JMP | BPF_JGT | BPF_X, d, s, 0, 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define SEEN(field)	((int)offsetof(struct seen, field))

struct program {
	struct bpf_insn insn[64];
	unsigned int len;
};

/* Append an instruction. Return its index, for land(). */
static unsigned int emit(struct program *p, struct bpf_insn insn)
{
	p->insn[p->len] = insn;
	return p->len++;
}

/* Let a jump go to the next instruction. */
static void land(struct program *p, unsigned int jump)
{
	p->insn[jump].off = p->len - jump - 1;
}

static void emit_map(struct program *p, int reg, int fd)
{
	emit(p, INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, fd));
	emit(p, INSN(0, 0, 0, 0, 0));
}

static void emit_end(struct program *p)
{
	emit(p, MOV_IMM(BPF_REG_0, 0));
	emit(p, EXIT());
}

/* Emit the begin of a program. r6: its struct seen; r7: 1 */
static void emit_begin(struct program *p, int seen, uint32_t number)
{
	unsigned int found;

	emit(p, STORE_IMM(BPF_REG_10, -4, number));
	emit_map(p, BPF_REG_1, seen);
	emit(p, MOV(BPF_REG_2, BPF_REG_10));
	emit(p, ADD_IMM(BPF_REG_2, -4));
	emit(p, CALL(BPF_FUNC_map_lookup_elem));
	found = emit(p, UNLESS_0(BPF_REG_0));
	emit_end(p);
	land(p, found);
	emit(p, MOV(BPF_REG_6, BPF_REG_0));
	emit(p, MOV_IMM(BPF_REG_7, 1));
	emit(p, ATOMIC_ADD(BPF_REG_6, SEEN(hits), BPF_REG_7));
}

/* Emit a read of entry 0 into the stack; r0: 0 or an error */
static void emit_read(struct program *p, int events, int at)
{
	emit_map(p, BPF_REG_1, events);
	emit(p, MOV_IMM(BPF_REG_2, 0));
	emit(p, MOV(BPF_REG_3, BPF_REG_10));
	emit(p, ADD_IMM(BPF_REG_3, at));
	emit(p, MOV_IMM(BPF_REG_4, sizeof(struct bpf_perf_event_value)));
	emit(p, CALL(BPF_FUNC_perf_event_read_value));
}

static void build(struct program *p, int events, int seen, uint32_t number)
{
	unsigned int refused[2], backwards[2];

	emit_begin(p, seen, number);
	emit_read(p, events, -32);
	refused[0] = emit(p, UNLESS_0(BPF_REG_0));
	emit_read(p, events, -56);
	refused[1] = emit(p, UNLESS_0(BPF_REG_0));
	emit(p, ATOMIC_ADD(BPF_REG_6, SEEN(reads), BPF_REG_7));
	emit(p, LOAD(BPF_REG_1, BPF_REG_10, -32));
	emit(p, LOAD(BPF_REG_2, BPF_REG_10, -56));
	emit(p, LOAD(BPF_REG_3, BPF_REG_6, SEEN(last)));
	emit(p, STORE(BPF_REG_6, SEEN(last), BPF_REG_2));
	backwards[0] = emit(p, IF_GREATER(BPF_REG_3, BPF_REG_1));
	backwards[1] = emit(p, IF_GREATER(BPF_REG_1, BPF_REG_2));
	emit(p, SUB(BPF_REG_2, BPF_REG_1));
	emit(p, ATOMIC_ADD(BPF_REG_6, SEEN(inside), BPF_REG_2));
	emit_end(p);
	land(p, backwards[0]);
	land(p, backwards[1]);
	emit(p, ATOMIC_ADD(BPF_REG_6, SEEN(backwards), BPF_REG_7));
	emit_end(p);
	land(p, refused[0]);
	land(p, refused[1]);
	emit(p, ATOMIC_ADD(BPF_REG_6, SEEN(refused), BPF_REG_7));
	emit_end(p);
}

static int load(uint32_t type, int events, int seen, uint32_t number)
{
	static char log[65536];
	struct program p = {};
	union bpf_attr attr = {
		.prog_type = type, .insns = (uintptr_t)p.insn, .license = (uintptr_t)"GPL",
		.log_level = 1, .log_size = sizeof(log), .log_buf = (uintptr_t)log,
	};
	int fd;

	build(&p, events, seen, number);
	attr.insn_cnt = p.len;
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		fprintf(stderr, "%s\n", log);
	return fd;
}

/* ---- where it runs ---- */

static bool trace_raw(const char *name, int prog)
{
	union bpf_attr attr = {
		.raw_tracepoint.name = (uintptr_t)name, .raw_tracepoint.prog_fd = prog,
	};

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr) >= 0;
}

static bool trace_function(const char *name, int prog)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config1 = (uintptr_t)name, .sample_period = 1,
	};
	FILE *f = fopen(KPROBE_TYPE, "r");
	int fd;

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		return false;
	fclose(f);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	return fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) &&
	       !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Attach the programs. Return 1 if it works, 0 if the function does not exist. */
static int attach(const char *where, int events, int seen, uint32_t number)
{
	bool raw = !strncmp(where, "raw:", 4);
	const char *name = strchr(where, ':');
	int prog;

	if (!name)
		return -1;
	prog = load(raw ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_KPROBE,
		    events, seen, number);
	if (prog < 0)
		return -1;
	if (raw)
		return trace_raw(name + 1, prog) ? 1 : -1;
	return trace_function(name + 1, prog);
}

/* ---- the event ---- */

static int open_event(uint32_t type, const char *configs, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type };
	char *rest;

	attr.config = strtoull(configs, &rest, 0);
	attr.config1 = *rest ? strtoull(rest + 1, &rest, 0) : 0;
	attr.config2 = *rest ? strtoull(rest + 1, &rest, 0) : 0;
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static void on_signal(int number)
{
	(void)number;
}

static void wait_for(double seconds)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = {
		.it_value.tv_sec = (time_t)seconds,
		.it_value.tv_usec = (seconds - (time_t)seconds) * 1000000,
	};
	sigset_t none, both;

	sigemptyset(&none);
	sigemptyset(&both);
	sigaddset(&both, SIGALRM);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("ready\n");
	fflush(stdout);
	sigsuspend(&none);
}

static int report(char **where, const int *state, unsigned int number, int seen, int event)
{
	uint64_t count;
	unsigned int i;

	for (i = 0; i < number; i++) {
		struct seen s;

		if (!state[i])
			continue;
		if (!get(seen, i, &s))
			return fail("what was seen");
		printf("%s hits %" PRIu64 " reads %" PRIu64 " refused %" PRIu64
		       " backwards %" PRIu64 " inside %" PRIu64 " last %" PRIu64 "\n",
		       where[i], s.hits, s.reads, s.refused, s.backwards, s.inside, s.last);
	}
	if (read(event, &count, sizeof(count)) != sizeof(count))
		return fail("read");
	printf("count %" PRIu64 "\n", count);
	return 0;
}

int main(int argc, char **argv)
{
	struct rlimit much = { RLIM_INFINITY, RLIM_INFINITY };
	const char *configs = "0";
	double seconds = 1;
	uint32_t type = 0, number, i;
	int c, cpu = 0, events, seen, event;
	int state[MAX_WHERE];

	while ((c = getopt(argc, argv, "p:e:c:t:")) != -1) {
		if (c == 'p')
			type = strtoul(optarg, NULL, 0);
		else if (c == 'e')
			configs = optarg;
		else if (c == 'c')
			cpu = atoi(optarg);
		else if (c == 't')
			seconds = atof(optarg);
		else
			return 2;
	}
	argv += optind;
	number = argc - optind;
	if (!number || number > MAX_WHERE)
		return 2;
	setrlimit(RLIMIT_MEMLOCK, &much);
	event = open_event(type, configs, cpu);
	if (event < 0)
		return fail("perf_event_open");
	events = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 1);
	seen = make_map(BPF_MAP_TYPE_ARRAY, sizeof(struct seen), number);
	if (events < 0 || seen < 0)
		return fail("a map");
	if (!put(events, 0, &event))
		return fail("the event in a map");
	for (i = 0; i < number; i++) {
		state[i] = attach(argv[i], events, seen, i);
		if (state[i] < 0)
			return fail(argv[i]);
	}
	wait_for(seconds);
	return report(argv, state, number, seen, event);
}
