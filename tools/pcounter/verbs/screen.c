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
#include "verbs/screen.h"

#define BAR		20
#define BUSY		1	/* colour pairs */
#define ALERT		2
#define BUSY_LIMIT	0.9

static SCREEN *screen;
static int first_line;

/**
 * screen_begin() - take the terminal
 *
 * Return: false if it is none that can be used.
 */
bool screen_begin(void)
{
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

/**
 * screen_draw() - show an interval
 * @rows: what it brought
 * @ms: how long it was
 */
void screen_draw(const struct top_rows *rows, unsigned int ms)
{
	const struct gpu *gpu = NULL;
	int line = 1 - first_line;
	unsigned int i;

	erase();
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
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*s", COLS, "");
	mvprintw(0, 0, "pcounter top: every %u ms, shares of the domain's clocks", ms);
	mvprintw(0, COLS > 90 ? COLS - 24 : 66, "arrows scroll, q quits");
	attroff(A_REVERSE);
	refresh();
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
		if (key == KEY_DOWN && first_line < (int)rows->nr)
			first_line++;
		else if (key == KEY_UP && first_line)
			first_line--;
		else if (key != KEY_RESIZE)
			continue;
		screen_draw(rows, ms);
	}
	return !stopped;
}
