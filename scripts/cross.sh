#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compiles the program, the model, the rules of the driver and all unit tests for
# other machines: arm64, and PowerPC, which is big-endian. Both have 64 bits: where
# a long has 32, times do not fit into it everywhere.
#
# usage: cross.sh
#
# There are no libraries of these machines here, so nothing is linked; headers of
# libraries are those of this machine.
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/cross
# Those that pkg-config does not find a folder for: in /usr/include a compiler for
# another machine would find the C library of this one.
headers="jansson.h jansson_config.h cmocka.h cmocka_pbc.h curses.h ncurses.h
	ncurses_dll.h term.h unctrl.h"

compile()
{
	objects=$out/$1
	set -- -s -k -j"$(nproc)" CC="ccache $1-gcc" CPPFLAGS="-I$out/include"
	make -C "$top/tools/pcounter" "$@" O="$objects" objects &&
		make -C "$top/tools/testing/unit" "$@" objects="$objects/unit" sanitize= compile
}

mkdir -p "$out/include"
for header in $headers; do
	for dir in /usr/include /usr/include/*-linux-gnu; do
		[ ! -e "$dir/$header" ] || ln -sf "$dir/$header" "$out/include"
	done
done
export CCACHE_DIR="$cache/ccache"
for machine in aarch64-linux-gnu powerpc64-linux-gnu; do
	quietly "$out/$machine.log" compile "$machine"
	! grep -i warning "$out/$machine.log" >&2 || die "$machine: there are warnings"
done
