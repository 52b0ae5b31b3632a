/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: a page is its address. */
#ifndef _SHIM_LINUX_MM_H
#define _SHIM_LINUX_MM_H

struct page;

/* Pages that were kept for ever. */
#pragma weak shim_pages_kept
int shim_pages_kept;

static inline struct page *virt_to_page(const void *cpu)
{
	return (struct page *)cpu;
}

static inline void get_page(struct page *page)
{
	(void)page;
	shim_pages_kept++;
}

#endif
