// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of "pcounter top".
 */
#include <curses.h>

#include "top/top.h"

#define KEYS		"Tab %s  s sort  space pause  +- interval  g GPU  a all  q quit"
#define PAD_COLUMNS	400	/* longer than any line, which would break in a narrower pad */
#define LEAST_MS	50UL
#define MOST_MS		60000UL

enum page_kind { PAGE_ENGINES, PAGE_SIGNALS, PAGES };

/**
 * struct page_text - a page
 * @format: writes its lines
 * @title: its title
 * @next: the page behind Tab, in a word
 */
static const struct page_text {
	void (*format)(const struct page *page);
	const char *title;
	const char *next;
} pages[] = {
	[PAGE_ENGINES] = { engines_lines, "busy engines", "signals" },
	[PAGE_SIGNALS] = { engines_signals, "shares of the domain's clocks", "engines" },
};

static SCREEN *screen;
static WINDOW *pad;	/* all lines of a page; the screen shows a part of them */
static int first_line;
static enum page_kind page;
static bool paused;
static const struct watch *only;
static bool sorted;

/**
 * screen_begin() - take over the terminal
 * @by_engine: begin with the page of engines
 *
 * Return: false if the terminal cannot be used.
 */
bool screen_begin(bool by_engine)
{
	/* name the folders of ncurses' files */
	static const char *const variables[] = { "TERMINFO", "TERMINFO_DIRS", "HOME" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(variables); i++)
		if (!secure_getenv(variables[i]))
			unsetenv(variables[i]);
	page = by_engine ? PAGE_ENGINES : PAGE_SIGNALS;
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

static void draw_lines(const struct watches *all)
{
	struct page lines = { .all = all, .only = only, .sorted = sorted, .width = COLS,
			      .unicode = is_unicode() };
	char *text, *rest;
	size_t size;
	int y;

	lines.f = open_memstream(&text, &size);
	pages[page].format(&lines);
	fclose(lines.f);
	wresize(pad, 1, PAD_COLUMNS);
	werase(pad);
	for (y = 0, rest = text; *rest; y++) {
		wresize(pad, y + 1, PAD_COLUMNS);
		mvwaddstr(pad, y, 0, strsep(&rest, "\n"));
	}
	free(text);
}

static void draw(const struct watches *all, const struct wishes *wishes)
{
	const char *title;

	draw_lines(all);
	erase();
	attron(A_REVERSE);
	title = text_tmp("pcounter top: %s, every %g s%s%s", pages[page].title, wishes->ms / 1e3,
			 wishes->all ? ", all signals" : "", paused ? ", paused" : "");
	mvprintw(0, 0, "%-*.*s", COLS, COLS, title);
	mvprintw(LINES - 1, 0, "%-*.*s", COLS - 1, COLS - 1, text_tmp(KEYS, pages[page].next));
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
void screen_draw(const struct watches *all, const struct wishes *wishes)
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
static void next_gpu(const struct watches *all)
{
	only = only ? only + 1 : all->watch;
	if (only == all->watch + all->nr)
		only = NULL;
}

/* Handle a key. Return false if it changes nothing. */
static bool take_key(int key, const struct watches *all, struct wishes *wishes)
{
	switch (key) {
	case '\t':
		page = (page + 1) % PAGES;
		first_line = 0;
		return true;
	case 's':
		sorted = !sorted;
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
	case 'a':
		wishes->all = !wishes->all;
		wishes->anew = !wishes->anew;
		page = wishes->all ? PAGE_SIGNALS : PAGE_ENGINES;
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
bool screen_wait(const struct watches *all, double wait, struct wishes *wishes)
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
