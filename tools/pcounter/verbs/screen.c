// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of "pcounter top".
 */
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tool.h"
#include "verbs/engines.h"
#include "verbs/screen.h"

#define BAR		20
#define BUSY		1	/* colour pairs */
#define ALERT		2
#define BUSY_LIMIT	0.9

static SCREEN *screen;
static int first_line;
static bool first_page;
static bool paused;
static struct engines engines;

/**
 * screen_begin() - take the terminal
 * @by_engine: begin with the page of engines
 *
 * Return: false if it is none that can be used.
 */
bool screen_begin(bool by_engine)
{
	first_page = by_engine;
	engines.unicode = MB_CUR_MAX > 1;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	nodelay(stdscr, TRUE);
	if (colours(stdout) && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(BUSY, COLOR_GREEN, -1);
		init_pair(ALERT, COLOR_RED, -1);
	}
	return true;
}

/**
 * screen_end() - give the terminal back
 */
void screen_end(void)
{
	endwin();
	delscreen(screen);
}

static void draw_share(double share)
{
	int full = share < 0 ? 0 : share > 1 ? BAR : (int)lround(share * BAR), i;

	printw("%6.1f %% [", share * 100);
	attron(COLOR_PAIR(share > BUSY_LIMIT ? ALERT : BUSY));
	for (i = 0; i < BAR; i++)
		addch(i < full ? '|' : ' ');
	attroff(COLOR_PAIR(share > BUSY_LIMIT ? ALERT : BUSY));
	/* more than all clocks cannot be: say so, do not hide it */
	printw("]%s", share > 1 ? " !" : "");
}

static void draw_row(const struct top_row *row)
{
	if (!row->name) {
		printw("  %s", row->state);
		return;
	}
	printw("  %-8s %-10s %-26.26s ", row->domain, row->unit, row->name);
	if (!strcmp(row->unit, "clock")) {
		if (row->hz >= 0)
			printw("%10.3f MHz", row->hz / 1e6);
		else
			printw("%14s", row->state);
	} else if (!row->counted) {
		printw("%s", strcmp(row->state, "counting") ? row->state : "not counted");
	} else if (!row->cycles) {
		printw("clock stands still");
	} else {
		draw_share(row->has_busy ? row->busy : (double)row->events / row->cycles);
		if (row->has_busy)
			printw(" busy");
	}
}

static void draw_engines(const struct top_rows *rows)
{
	static char line[ENGINES_MAX][ENGINE_LINE];
	unsigned int most = LINES > 2 ? LINES - 2 : 0, n, i;

	if (most > ENGINES_MAX)
		most = ENGINES_MAX;
	memset(line, 0, sizeof(line));
	n = engines_lines(&engines, rows, COLS, most, line);
	for (i = 0; i < n; i++)
		mvaddstr(1 + i, 0, line[i]);
}

static void draw_rows(const struct top_rows *rows)
{
	const struct gpu *gpu = NULL;
	int line = 1 - first_line;
	unsigned int i;

	for (i = 0; i < rows->nr && line < LINES; i++) {
		const struct top_row *row = &rows->row[i];

		if (row->gpu != gpu) {
			gpu = row->gpu;
			if (line >= 1)
				mvprintw(line, 0, "%s  %s  %s  %s", gpu->pmu->name,
					 gpu->pmu->chip_name, gpu->address, gpu_power(gpu));
			line++;
		}
		if (line >= 1) {
			move(line, 0);
			draw_row(row);
		}
		line++;
	}
}

static void draw(const struct top_rows *rows, unsigned int ms)
{
	erase();
	if (first_page)
		draw_engines(rows);
	else
		draw_rows(rows);
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*s", COLS, "");
	mvprintw(0, 0, "pcounter top: %s, every %u ms%s",
		 first_page ? "busy engines" : "shares of the domain's clocks", ms,
		 paused ? ", paused" : "");
	mvprintw(LINES - 1, 0, "%-*s", COLS - 1, "");
	mvprintw(LINES - 1, 0, "Tab %s  s sort  space pause  arrows scroll  q quit",
		 first_page ? "all signals" : "engines");
	attroff(A_REVERSE);
	refresh();
}

/**
 * screen_draw() - show an interval
 * @rows: what it brought
 * @ms: how long it was
 */
void screen_draw(const struct top_rows *rows, unsigned int ms)
{
	engines_note(&engines, rows);
	if (!paused)
		draw(rows, ms);
}

/* Returns false for a key that changes nothing. */
static bool take_key(int key, const struct top_rows *rows)
{
	if (key == '\t')
		first_page = !first_page;
	else if (key == 's')
		engines.sorted = !engines.sorted;
	else if (key == ' ')
		paused = !paused;
	else if (key == KEY_DOWN && first_line < (int)rows->nr)
		first_line++;
	else if (key == KEY_UP && first_line)
		first_line--;
	else
		return key == KEY_RESIZE;
	return true;
}

/**
 * screen_wait() - let time pass
 * @rows: what is on the screen
 * @wait: how long, in ms
 * @ms: length of an interval
 *
 * Return: false if the user has had enough.
 */
bool screen_wait(const struct top_rows *rows, double wait, unsigned int ms)
{
	double end = seconds() + wait / 1e3, left;
	int key, got;

	while (!stopped && (left = end - seconds()) > 0) {
		got = wait_fd(STDIN_FILENO, left);
		if (!got)
			break;
		/* a new size of the window is a signal, and then a key */
		key = getch();
		if (key == 'q' || (got > 0 && key == ERR))
			return false;
		if (take_key(key, rows))
			draw(rows, ms);
	}
	return !stopped;
}
