#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The program, the model and the rules of the driver for other machines. Compiled for
# arm64 and for PowerPC, which is big-endian and has longs of 32 bits; what is not long
# of the unit tests runs in QEMU as on s390x, which is big-endian, has longs of 64 bits
# and Debian's libraries.
#
# usage: cross.sh [--all]	with all unit tests
set -eu
. "$(dirname "$0")/lib.sh"

case $* in
"")	long= ;;
--all)	long=yes ;;
*)	die "usage: cross.sh [--all]" ;;
esac
out=$top/build/cross
# Where nothing is linked, headers of libraries are those of this machine: these are
# those that pkg-config does not find a folder for. In /usr/include a compiler for
# another machine would find the C library of this one.
headers="jansson.h jansson_config.h cmocka.h cmocka_pbc.h curses.h ncurses.h
	ncurses_dll.h term.h unctrl.h"
libraries=libc6-dev,libcairo2-dev,libcmocka-dev,libdrm-dev,libfontconfig-dev,libjansson-dev,libncurses-dev

compile()
{
	machine=$1
	objects=$out/$machine
	set -- -s -k -j"$(nproc)" CC="$machine-gcc" CPPFLAGS="-I$out/include"
	make -C "$top/tools/pcounter" "$@" O="$objects" objects || return
	# a product of 128 bits is what the kernel has functions for
	[ "$machine" = powerpc-linux-gnu ] ||
		make -C "$top/tools/testing/unit" "$@" objects="$objects/unit" sanitize= compile
}

# Libraries of another machine, unpacked and nothing more; links lead into their folder.
make_libraries()
{
	aside=$(mktemp -d "$root.XXXXXX") || return
	mmdebstrap --variant=extract --architectures=s390x --quiet --include="$libraries" \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		bookworm "$aside/root.tar" || return
	mkdir "$aside/root" || return
	tar -C "$aside/root" --exclude='./dev/*' -xf "$aside/root.tar" || return
	find "$aside/root" -type l -lname '/*' | while read -r link; do
		ln -sfn "$root$(readlink "$link")" "$link"
	done
	mv -T "$aside/root" "$root"
	rm -rf "$aside"
}

# In a copy: the tests lie beside their sources.
run()
{
	tree=$out/s390x
	rm -rf "$tree"
	mkdir -p "$tree"
	(cd "$top" && tar -c --exclude="*.o" Documentation drivers include scripts \
		tools Makefile dkms.conf) | tar -C "$tree" -x
	make -s -C "$tree/tools/testing/unit" clean
	set -- ${long:+long=} -s -j"$(nproc)" sanitize= emulator="qemu-s390x -L $root" \
		CC="s390x-linux-gnu-gcc --sysroot=$root"
	CCACHE_BASEDIR=$tree PKG_CONFIG_SYSROOT_DIR=$root \
		PKG_CONFIG_LIBDIR=$root/usr/lib/s390x-linux-gnu/pkgconfig:$root/usr/share/pkgconfig \
		make -C "$tree/tools/testing/unit" "$@" check
}

mkdir -p "$out/include"
for header in $headers; do
	for dir in /usr/include /usr/include/*-linux-gnu; do
		[ ! -e "$dir/$header" ] || ln -sf "$dir/$header" "$out/include"
	done
done
for machine in aarch64-linux-gnu powerpc-linux-gnu; do
	quietly "$out/$machine.log" compile "$machine"
	! grep -i warning "$out/$machine.log" >&2 || die "$machine: there are warnings"
done

root=$cache/system/s390x
mkdir -p "$cache/system"
exec 9>"$root.lock"
flock 9
[ -e "$root" ] || quietly "$out/libraries.log" make_libraries
flock -u 9
quietly "$out/s390x.log" run
"$top/scripts/tap.py" "$out/s390x.log"
