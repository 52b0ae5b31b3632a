# SPDX-License-Identifier: GPL-2.0-only
# Make C files from scripts/tables/, with python3. The tarball of "make dist" and the package
# for DKMS contain these files, so that their users need no python3. $(top) is the folder of
# the project.
tables := $(addprefix $(top)/,$(addprefix drivers/gpu/pcounter/,rules/chip_table.c \
	rules/signals.c rules/public.c hw/mux_rows.c hw/idle_rows.c) tools/pcounter/lib/gpu/texts.c)

$(tables): $(wildcard $(top)/scripts/tables/*.csv) $(top)/include/uapi/linux/pcounter.h \
		$(addprefix $(top)/scripts/,gen-tables.py hwtables.py)
	$(top)/scripts/gen-tables.py $@
