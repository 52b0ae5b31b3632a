#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compile the program by other compilers and for other C libraries; print TAP.
#
# usage: compilers.sh
#
# gcc 12 and clang 14 are those of Debian 12; gcc 13 and 14 and clang 19 run in a Debian 13,
# with its libraries. Without libraries of their own, objects for musl and for 32 bits are
# compiled with the headers of this machine's libraries, and not linked.
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/compilers
headers=$out/include
number=0
failures=0
# The headers of libraries: in /usr/include a compiler for another C library would find that
# of this machine. linux and asm are the kernel's.
libraries="jansson.h jansson_config.h libkmod.h curses.h ncurses.h ncurses_dll.h term.h unctrl.h pci"
kernel="linux asm asm-generic"

# row NAME COMMAND...: print one TAP line, and the messages of a compiler that complains.
row()
{
	name=$1
	log=$out/$1.log
	shift
	number=$((number + 1))
	if "$@" >"$log" 2>&1 && ! grep -q '[0-9]: warning:' "$log"; then
		echo "ok $number - $name"
	else
		failures=$((failures + 1))
		echo "not ok $number - $name"
		grep -E '[0-9]: .*(error|warning):|\*\*\*' "$log" | head -n 20 | sed 's/^/# /'
	fi
}

# here COMPILER MAKE-WORD...
here()
{
	compiler=$1
	shift
	make -s -k -j"$(nproc)" -C "$top/tools/pcounter" O="$out/$name" CC="$compiler" "$@"
}

trixie()
{
	"$top/scripts/system.sh" run --bind "$top" "$root" env LC_ALL=C \
		make -s -k -j"$(nproc)" -C /mnt/tools/pcounter O="/mnt/build/compilers/$name" CC="$name" program
}

# link_headers DIR NAMES: make links to headers of this machine
link_headers()
{
	mkdir -p "$1"
	for header in $2; do
		for folder in /usr/include /usr/include/x86_64-linux-gnu; do
			[ ! -e "$folder/$header" ] || ln -sfn "$folder/$header" "$1"
		done
	done
}

echo "1..7"
make -s -C "$top" tables
rm -rf "$out"
link_headers "$headers/libraries" "$libraries"
link_headers "$headers/libraries/sys" sys/capability.h
link_headers "$headers/kernel" "$kernel"
row gcc-12 here gcc-12 program
row clang-14 here clang-14 program
row musl here musl-gcc objects \
	CPPFLAGS="-isystem $headers/libraries -isystem $headers/kernel"
row i686 here i686-linux-gnu-gcc objects \
	CPPFLAGS="-isystem $headers/libraries"
root=$("$top/scripts/system.sh" compilers)
for compiler in gcc-13 gcc-14 clang-19; do
	row "$compiler" trixie
done
[ "$failures" -eq 0 ]
