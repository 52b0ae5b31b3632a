#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compile the program, the model and the rules of the driver for arm64 and for PowerPC,
# which is big-endian and has longs of 32 bits. Run all unit tests in QEMU as on
# s390x, which is big-endian, has longs of 64 bits and Debian's libraries.
#
# usage: cross.sh
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/cross
# Compiling without linking uses the headers of this machine's libraries. pkg-config names
# no folder for these, and in /usr/include a compiler for another machine would find the C
# library of this one.
headers="jansson.h jansson_config.h libkmod.h cmocka.h cmocka_pbc.h curses.h ncurses.h
	ncurses_dll.h pci sys/capability.h term.h unctrl.h"
libraries=libc6-dev,libcap-dev,libcmocka-dev,libdrm-dev,libjansson-dev,libkmod-dev,libncurses-dev,libpci-dev

compile()
{
	machine=$1
	objects=$out/$machine
	set -- -s -k -j"$(nproc)" CC="$machine-gcc" CPPFLAGS="-I$out/include"
	make -C "$top/tools/pcounter" "$@" O="$objects" objects || return
	# the kernel has functions for products of 128 bits, user space uses the type
	[ "$machine" = powerpc-linux-gnu ] ||
		make -C "$top/tools/testing/unit" "$@" objects="$objects/unit" sanitize= compile
}

# Unpack the libraries of another machine; links lead into their folder.
make_libraries()
{
	extract bookworm "$libraries" "$1" --architectures=s390x || return
	find "$1" -type l -lname '/*' | while read -r link; do
		ln -sfn "$root$(readlink "$link")" "$link"
	done
}

# Run the tests in a copy, since their programs lie beside the sources.
run()
{
	tree=$out/s390x
	rm -rf "$tree"
	mkdir -p "$tree"
	(cd "$top" && tar -c --exclude="*.o" Documentation drivers include scripts \
		tools Makefile NEWS README.md dkms.conf) | tar -C "$tree" -x
	make -s -C "$tree/tools/testing/unit" clean
	# tests run programs with another PATH, too
	set -- long= -s -j"$(nproc)" sanitize= \
		emulator="$(command -v qemu-s390x) -L $root" \
		CC="s390x-linux-gnu-gcc --sysroot=$root"
	CCACHE_BASEDIR=$tree PKG_CONFIG_SYSROOT_DIR=$root \
		PKG_CONFIG_LIBDIR=$root/usr/lib/s390x-linux-gnu/pkgconfig:$root/usr/share/pkgconfig \
		make -C "$tree/tools/testing/unit" "$@" check
}

mkdir -p "$out/include/sys"
for header in $headers; do
	for dir in /usr/include /usr/include/*-linux-gnu; do
		[ ! -e "$dir/$header" ] || ln -sfn "$dir/$header" "$out/include/$header"
	done
done
for machine in aarch64-linux-gnu powerpc-linux-gnu; do
	quietly "$out/$machine.log" compile "$machine"
	! grep -i warning "$out/$machine.log" >&2 || die "$machine: there are warnings"
done

root=$cache/system/s390x-$(printf %s "$libraries" | cksum | cut -d" " -f1)
make_once "$root" make_libraries
quietly "$out/s390x.log" run
"$top/scripts/tap.py" "$out/s390x.log"
