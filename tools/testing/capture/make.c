// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a generated capture: make square|PACKETS >FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

int main(int argc, char **argv)
{
	struct made made;
	size_t done;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "square"))
		made_square(&made);
	else
		made_many(&made, strtoull(argv[1], NULL, 0));
	done = fwrite(made.data, 1, made.size, stdout);
	done -= made.size;
	made_free(&made);
	return done || fflush(stdout);
}
