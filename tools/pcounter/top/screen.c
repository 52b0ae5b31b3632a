// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of "pcounter top".
 */
#include <curses.h>

#include "top/top.h"

#define KEYS		"s sort  space pause  +- interval  g GPU  arrows scroll  q quit"
#define PAD_COLUMNS	400	/* longer than any line, which would break in a narrower pad */
#define LEAST_MS	50UL
#define MOST_MS		60000UL

static SCREEN *screen;
static WINDOW *pad;	/* all lines; the screen shows a part of them */
static int first_line;
static bool paused;

/**
 * screen_begin() - take over the terminal
 *
 * Return: false if the terminal cannot be used.
 */
bool screen_begin(void)
{
	/* name the folders of ncurses' files */
	static const char *const variables[] = { "TERMINFO", "TERMINFO_DIRS", "HOME" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(variables); i++)
		if (!secure_getenv(variables[i]))
			unsetenv(variables[i]);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	nodelay(stdscr, TRUE);
	pad = newpad(1, PAD_COLUMNS);
	return true;
}

/**
 * screen_end() - restore the terminal
 */
void screen_end(void)
{
	endwin();
	delscreen(screen);
}

static void draw_lines(struct watches *all)
{
	char *text, *rest;
	size_t size;
	int y;

	all->width = COLS;
	all->unicode = is_unicode();
	all->f = open_memstream(&text, &size);
	engines_lines(all);
	fclose(all->f);
	wresize(pad, 1, PAD_COLUMNS);
	werase(pad);
	for (y = 0, rest = text; *rest; y++) {
		wresize(pad, y + 1, PAD_COLUMNS);
		mvwaddstr(pad, y, 0, strsep(&rest, "\n"));
	}
	free(text);
}

static void draw(struct watches *all, const struct wishes *wishes)
{
	const char *title;

	draw_lines(all);
	erase();
	attron(A_REVERSE);
	title = text_tmp("pcounter top: busy engines, every %g s%s", wishes->ms / 1e3,
			 paused ? ", paused" : "");
	mvprintw(0, 0, "%-*.*s", COLS, COLS, title);
	mvprintw(LINES - 1, 0, "%-*.*s", COLS - 1, COLS - 1, KEYS);
	attroff(A_REVERSE);
	wnoutrefresh(stdscr);
	pnoutrefresh(pad, first_line, 0, 1, 0, LINES - 2, COLS - 1);
	doupdate();
}

/**
 * screen_draw() - show an interval
 * @all: the GPUs
 * @wishes: the settings
 */
void screen_draw(struct watches *all, const struct wishes *wishes)
{
	static double looked;
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		engines_note(&all->watch[i]);
	if (paused)
		return;
	/* at most once a second: this scans all processes */
	if (!looked || seconds() - looked >= 1) {
		for (i = 0; i < all->nr; i++)
			drm_look(all->watch[i].gpu, &all->watch[i].facts);
		looked = seconds();
	}
	draw(all, wishes);
}

/* Show the next GPU; after the last one show all. */
static void next_gpu(struct watches *all)
{
	all->only = all->only ? all->only + 1 : all->watch;
	if (all->only == all->watch + all->nr)
		all->only = NULL;
}

/* Handle a key. Return false if it changes nothing. */
static bool take_key(int key, struct watches *all, struct wishes *wishes)
{
	switch (key) {
	case 's':
		all->sorted = !all->sorted;
		return true;
	case ' ':
		paused = !paused;
		return true;
	case '+':
		wishes->ms = min(2 * wishes->ms, MOST_MS);
		return true;
	case '-':
		wishes->ms = max(wishes->ms / 2, LEAST_MS);
		return true;
	case 'g':
		next_gpu(all);
		return true;
	case KEY_DOWN:
		first_line += first_line < getmaxy(pad) - 1;
		return true;
	case KEY_UP:
		first_line -= first_line > 0;
		return true;
	default:
		return key == KEY_RESIZE;
	}
}

/**
 * screen_wait() - wait, and handle keys
 * @all: the GPUs on the screen
 * @wait: time to wait, in ms
 * @wishes: the settings; keys change them
 *
 * Return: false if the user asks the program to end.
 */
bool screen_wait(struct watches *all, double wait, struct wishes *wishes)
{
	double end = seconds() + wait / 1e3, left;
	int key, got;

	while (!stopped && (left = end - seconds()) > 0) {
		got = wait_fd(STDIN_FILENO, left);
		if (!got)
			break;
		/* a resize of the window causes a signal, and then a key */
		key = getch();
		if (key == 'q' || (got > 0 && key == ERR))
			return false;
		if (take_key(key, all, wishes))
			draw(all, wishes);
	}
	return !stopped;
}
