// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is watched, as OpenMetrics and in Prometheus' older text format: in a file for
 * the textfile collector of node_exporter, or by HTTP. A scrape costs no look at the
 * GPU: it gets what the last interval has brought.
 */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "lib/tool.h"
#include "verbs/metrics.h"

#define LOOPBACK	"127.0.0.1"
#define BACKLOG		8
#define PATIENCE_US	100000	/* for a client that is slow */
#define OPEN_TYPE	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define PLAIN_TYPE	"text/plain; version=0.0.4; charset=utf-8"

/* Which rows a metric is made of. */
enum rows { OF_GPU, OF_CLOCK, OF_SIGNAL };

/**
 * struct metric - a metric
 * @name: its name, without "_total"
 * @counter: it only grows; else it is a gauge
 * @unit: its unit, NULL if it has none
 * @help: what it is
 * @rows: which rows it is made of
 * @value: its value of a row
 */
struct metric {
	const char *name;
	bool counter;
	const char *unit;
	const char *help;
	enum rows rows;
	double (*value)(const struct top_row *row);
};

static double value_up(const struct top_row *row)
{
	return !strcmp(row->state, "counting") || !strcmp(row->state, "waiting");
}

static double value_asleep(const struct top_row *row)
{
	return !strcmp(row->state, "asleep");
}

static double value_hertz(const struct top_row *row)
{
	return row->hz;
}

static double value_events(const struct top_row *row)
{
	return row->total_events;
}

static double value_cycles(const struct top_row *row)
{
	return row->total_cycles;
}

static double value_running(const struct top_row *row)
{
	return row->total_running / NS_S;
}

static const struct metric metrics[] = {
	{ "pcounter_up", false, NULL, "Whether the GPU can be counted on.", OF_GPU, value_up },
	{ "pcounter_asleep", false, NULL, "Whether the GPU is asleep, and left asleep.", OF_GPU,
	  value_asleep },
	{ "pcounter_domain_clock_hertz", false, "hertz", "Clock of a domain in the last interval.",
	  OF_CLOCK, value_hertz },
	{ "pcounter_domain_clocks", true, "clocks", "Clocks of a domain while it was counted.",
	  OF_CLOCK, value_cycles },
	{ "pcounter_domain_running_seconds", true, "seconds",
	  "Time for which a domain was counted.", OF_CLOCK, value_running },
	{ "pcounter_signal_clocks", true, "clocks", "Clocks in which a signal was 1.", OF_SIGNAL,
	  value_events },
	{ "pcounter_signal_observed_clocks", true, "clocks",
	  "Clocks in which a signal was looked at: it may take turns with others.", OF_SIGNAL,
	  value_cycles },
};

/* ---- text ---- */

static bool is_of(const struct top_row *row, enum rows rows)
{
	if (!row->name)
		return false;
	return (rows == OF_CLOCK) == !strcmp(row->unit, "clock");
}

static void put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, ",%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', f);
		fputc(*value, f);
	}
	fputc('"', f);
}

static void put_sample(FILE *f, const struct metric *metric, const struct top_row *row)
{
	double value = metric->value(row);

	/* an unknown clock is no value, and not 0 */
	if (value < 0)
		return;
	fprintf(f, "%s%s{gpu=\"%s\"", metric->name, metric->counter ? "_total" : "",
		row->gpu->pmu->name);
	put_label(f, "address", row->gpu->address);
	put_label(f, "chip", row->gpu->pmu->chip_name);
	if (metric->rows != OF_GPU)
		put_label(f, "domain", row->domain);
	if (metric->rows == OF_SIGNAL) {
		put_label(f, "unit", row->unit);
		put_label(f, "signal", row->name);
	}
	fprintf(f, "} %.17g\n", value);
}

/* The older format has "_total" in the name of the family. */
static void put_head(FILE *f, const struct metric *metric, bool plain)
{
	const char *total = plain && metric->counter ? "_total" : "";
	size_t len = strlen(metric->name), more = metric->unit ? strlen(metric->unit) : 0;

	fprintf(f, "# HELP %s%s %s\n", metric->name, total, metric->help);
	fprintf(f, "# TYPE %s%s %s\n", metric->name, total, metric->counter ? "counter" : "gauge");
	if (more && !plain && len > more && !strcmp(metric->name + len - more, metric->unit))
		fprintf(f, "# UNIT %s %s\n", metric->name, metric->unit);
}

static char *make_text(const struct top_rows *rows, bool plain)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(metrics) && f; i++) {
		const struct gpu *gpu = NULL;

		put_head(f, &metrics[i], plain);
		for (k = 0; k < rows->nr; k++) {
			const struct top_row *row = &rows->row[k];

			/* the first row of a GPU tells its state: that of a clock */
			if (metrics[i].rows == OF_GPU ? row->gpu != gpu :
							is_of(row, metrics[i].rows))
				put_sample(f, &metrics[i], row);
			gpu = row->gpu;
		}
	}
	if (!f)
		return NULL;
	if (!plain)
		fputs("# EOF\n", f);
	return fclose(f) ? NULL : text;
}

/* ---- a file ---- */

/* Readers see the old or the new one, and nothing between. */
static bool replace_file(const struct metrics *m)
{
	char path[4096];
	bool good;
	FILE *f;

	snprintf(path, sizeof(path), "%s.%d", m->path, getpid());
	f = fopen(path, "we");
	good = f && fputs(m->plain, f) >= 0;
	if (f)
		good = !fclose(f) && good;
	good = good && !rename(path, m->path);
	if (!good) {
		complain("%s: %s", m->path, strerror(errno));
		unlink(path);
	}
	return good;
}

/* ---- HTTP ---- */

/* "PORT", "ADDRESS:PORT", "[ADDRESS]:PORT" */
static bool split(const char *text, char *host, size_t len, const char **port)
{
	const char *colon = strrchr(text, ':');

	*port = colon ? colon + 1 : text;
	if (!colon)
		snprintf(host, len, LOOPBACK);
	else if (*text == '[' && colon > text + 1 && colon[-1] == ']')
		snprintf(host, len, "%.*s", (int)(colon - text - 2), text + 1);
	else
		snprintf(host, len, "%.*s", (int)(colon - text), text);
	return **port && strspn(*port, "0123456789") == strlen(*port);
}

static bool begin_listen(struct metrics *m)
{
	struct addrinfo wish = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	}, *found;
	char host[256];
	const char *port;
	int on = 1;

	if (!split(m->listen, host, sizeof(host), &port) ||
	    getaddrinfo(host, port, &wish, &found)) {
		complain("%s: not [ADDRESS:]PORT", m->listen);
		return false;
	}
	m->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(m->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (m->fd < 0 || bind(m->fd, found->ai_addr, found->ai_addrlen) || listen(m->fd, BACKLOG)) {
		complain("%s: %s", m->listen, strerror(errno));
		freeaddrinfo(found);
		return false;
	}
	freeaddrinfo(found);
	return true;
}

static bool send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t done = send(fd, data, len, MSG_NOSIGNAL);

		if (done <= 0)
			return false;
		data += done;
		len -= done;
	}
	return true;
}

static void answer(int fd, const char *status, const char *type, const char *text)
{
	char head[512];
	int len;

	len = snprintf(head, sizeof(head), "HTTP/1.1 %s\r\nContent-Type: %s\r\n"
		       "Content-Length: %zu\r\nConnection: close\r\n\r\n", status, type,
		       strlen(text));
	if (send_all(fd, head, len))
		send_all(fd, text, strlen(text));
}

static void serve(const struct metrics *m)
{
	struct timeval patience = { .tv_usec = PATIENCE_US };
	int fd = accept4(m->fd, NULL, NULL, SOCK_CLOEXEC);
	char request[4096];
	size_t at = 0;
	ssize_t got;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	request[0] = 0;
	while (at < sizeof(request) - 1 && !strstr(request, "\r\n\r\n")) {
		got = recv(fd, request + at, sizeof(request) - 1 - at, 0);
		if (got <= 0)
			break;
		at += got;
		request[at] = 0;
	}
	if (strncmp(request, "GET ", 4))
		answer(fd, "405 Method Not Allowed", PLAIN_TYPE, "only GET\n");
	else if (strncmp(request, "GET /metrics ", 13))
		answer(fd, "404 Not Found", PLAIN_TYPE, "metrics are at /metrics\n");
	else if (!m->text || !m->plain)
		answer(fd, "503 Service Unavailable", PLAIN_TYPE, "no interval is over yet\n");
	else if (strstr(request, "application/openmetrics-text"))
		answer(fd, "200 OK", OPEN_TYPE, m->text);
	else
		answer(fd, "200 OK", PLAIN_TYPE, m->plain);
	close(fd);
}

/* ---- the run ---- */

/**
 * metrics_begin() - prepare
 * @m: where metrics go
 *
 * Return: false, with a word on stderr, if that is not possible.
 */
bool metrics_begin(struct metrics *m)
{
	m->fd = -1;
	return !m->listen || begin_listen(m);
}

/**
 * metrics_show() - an interval is over
 * @m: where metrics go
 * @rows: what it brought
 *
 * Return: false, with a word on stderr, if it cannot be written.
 */
bool metrics_show(struct metrics *m, const struct top_rows *rows)
{
	free(m->text);
	free(m->plain);
	m->text = make_text(rows, false);
	m->plain = make_text(rows, true);
	if (!m->text || !m->plain) {
		complain("out of memory");
		return false;
	}
	if (m->path)
		return replace_file(m);
	if (m->fd < 0)
		return fputs(m->text, stdout) >= 0 && !fflush(stdout);
	return true;
}

/**
 * metrics_wait() - let time pass, and answer meanwhile
 * @m: where metrics go
 * @ms: how long
 *
 * Return: false if a signal asked for an end.
 */
bool metrics_wait(struct metrics *m, double ms)
{
	double end = seconds() + ms / 1e3, left;

	while (!stopped && (left = end - seconds()) > 0)
		if (wait_fd(m->fd, left) > 0)
			serve(m);
	return !stopped;
}

/**
 * metrics_end() - end; what is in a file would never be new again
 * @m: where metrics went
 */
void metrics_end(struct metrics *m)
{
	if (m->fd >= 0)
		close(m->fd);
	if (m->path)
		unlink(m->path);
	free(m->text);
	free(m->plain);
}
