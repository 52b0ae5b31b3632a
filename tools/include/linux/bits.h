/* SPDX-License-Identifier: GPL-2.0-only */
/* Systems before Linux 6.8 have no header of this name; the macros are in kernel.h. */
