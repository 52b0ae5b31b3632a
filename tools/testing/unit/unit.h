/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka, with the headers that it needs before it.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
