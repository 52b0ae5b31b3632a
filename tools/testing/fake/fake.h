/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fake machine for the program "pcounter": files, time, and perf's system call. Speeds
 * differ from the real machine.
 */
#ifndef _TESTING_FAKE_H
#define _TESTING_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_EVENTS	2048
#define FAKE_MEMBERS	512
#define FAKE_FD		100000	/* descriptors of fake events begin here */
#define FAKE_STEP	250000	/* ns that pass at once */
#define FAKE_LINES	128	/* of the script */
#define FAKE_WORD	64
#define FAKE_GPUS	2

/**
 * struct fake_line - a line of the script: a word and up to five numbers
 * @word: its keyword
 * @n: how many numbers it has
 * @value: the numbers
 */
struct fake_line {
	char word[FAKE_WORD];
	unsigned int n;
	double value[5];
};

/**
 * struct fake_event - an event of perf
 * @used: it is open
 * @type: of struct perf_event_attr
 * @gpu: index of its GPU
 * @pmu: name of its PMU
 * @left: the GPU of its PMU has left
 * @config: its words
 * @read_format: contents of a read
 * @leader: number of its leader
 * @n: of a leader: number of members, with itself
 * @member: their numbers
 * @order: of a leader: its place in the queue of all that take turns
 * @foreign: another user has opened it
 * @enabled: it is
 * @active: it counts now
 * @value: its count
 * @time_enabled: ns
 * @time_running: ns
 * @dom: index of its domain
 * @name: its name in the script
 * @inverted: it counts the clocks in which @name is 0
 * @idle: it is one of the idle counters
 * @clk: it counts clocks
 * @record: it is one of record mode
 * @sig: the sources
 * @op: their truth table
 * @period: clocks of a packet
 * @page: data area
 * @aux: AUX area
 * @aux_size: its bytes
 * @cycle: cycle counter of recording
 * @written: cycle counter of the last packet
 * @sum: events since the last packet, by member
 * @first: number of the next packet
 * @said: bytes of the AUX area that perf has reported
 * @full: time at which the area became full, 0: it is not
 * @gaps: times that it began anew with room in a full area
 */
struct fake_event {
	bool used;
	uint32_t type;
	unsigned int gpu;
	char pmu[32];
	bool left;
	uint64_t config[3];
	uint64_t read_format;
	unsigned int leader;
	unsigned int n;
	unsigned int member[FAKE_MEMBERS];
	unsigned long order;
	bool foreign;
	bool enabled;
	bool active;
	double value;
	uint64_t time_enabled;
	uint64_t time_running;
	unsigned int dom;
	char name[FAKE_WORD];
	bool inverted;
	bool idle;
	bool clk;
	bool record;
	unsigned int sig[4];
	unsigned int op;
	uint64_t period;
	struct perf_event_mmap_page *page;
	unsigned char *aux;
	size_t aux_size;
	double cycle;
	uint64_t written;
	double sum[FAKE_MEMBERS];
	uint64_t first;
	uint64_t said;
	uint64_t full;
	uint64_t gaps;
};

struct pmu;

extern struct fake_line fake_script[FAKE_LINES];
extern unsigned int fake_lines;
extern struct fake_event fake_event[FAKE_EVENTS];
extern uint64_t fake_now;

double fake_value(const char *word, double none);
bool fake_between(const char *word, unsigned int first);
uint64_t fake_rate(unsigned int dom);
double fake_share(const struct fake_event *event);
bool fake_running(uint64_t *since);
void fake_tree(void);
struct pmu *fake_pmu(unsigned int gpu);
bool fake_type(struct fake_event *event);
bool fake_left(const struct fake_event *event);
void fake_foreign(void);
void fake_step(uint64_t ns);
void fake_record(struct fake_event *leader, uint64_t ns);
void fake_anew(struct fake_event *leader);

#endif
