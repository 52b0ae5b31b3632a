# SPDX-License-Identifier: GPL-2.0-only
# Options that let user space use the driver's files. The compiler looks for stand-ins of
# kernel headers where the system has none of the name, so no stand-in hides one.
stand_ins_dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
stand_ins := -idirafter $(stand_ins_dir) -include $(stand_ins_dir)/kernel.h
