// SPDX-License-Identifier: GPL-2.0-only
/*
 * Change fields of tables in a test before its main(): MUTANTS is a file with a line
 * "ADDRESS SIZE HOW MASK" for each, numbers in hex, the address as in the file.
 *
 * x: exclusive or with the mask; t: text without its first letter; z: no pointer. The exit
 * status is NO_MUTANT if no field can be changed so.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NO_MUTANT	77

/* The first object is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

static unsigned int change(void *field, unsigned int size, char how, uint64_t mask)
{
	uint64_t value = 0;

	memcpy(&value, field, size);
	if (how != 'x' && (!value || (how == 't' && !*(const char *)(uintptr_t)value)))
		return 0;
	value = how == 'x' ? value ^ mask : how == 't' ? value + 1 : 0;
	memcpy(field, &value, size);
	return 1;
}

__attribute__((constructor)) static void mutate(void)
{
	unsigned long address, mask, page = sysconf(_SC_PAGESIZE);
	unsigned int size, changed = 0;
	uintptr_t base;
	char how, *field;
	FILE *file;

	if (!getenv("MUTANTS"))
		return;
	file = fopen(getenv("MUTANTS"), "r");
	if (!file)
		abort();
	/* not for programs that the test starts */
	unsetenv("MUTANTS");
	dl_iterate_phdr(take_base, &base);
	while (fscanf(file, "%lx %x %c %lx", &address, &size, &how, &mask) == 4) {
		field = (char *)base + address;
		if (mprotect((void *)((uintptr_t)field & -page), 2 * page,
			     PROT_READ | PROT_WRITE))
			abort();
		changed += change(field, size, how, mask);
	}
	fclose(file);
	if (!changed)
		_exit(NO_MUTANT);
}
