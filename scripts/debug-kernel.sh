#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernels with checkers: the distribution's sources, and no more than guests need.
#
# usage: debug-kernel.sh debug	address, lock, life time, DMA and leak checkers;
#				failing allocations, KUnit, coverage
#        debug-kernel.sh kcsan	the checker for data races of modules
#
# Prints the directory to build modules against; image/ in it is as
# scripts/kernels.sh describes. Made once for a version and configuration.
set -eu
. "$(dirname "$0")/lib.sh"

kind=${1-}
configs=$top/tools/testing/guest/kernels
if [ $# -ne 1 ] || [ ! -f "$configs/$kind.config" ] || [ "$kind" = guest ]; then
	die "usage: debug-kernel.sh debug|kcsan"
fi

sources=$("$top/scripts/kernels.sh" source)
key=$(cat "$configs/guest.config" "$configs/$kind.config" "$0" | sha256sum | cut -c 1-8)
dir=$cache/debug/$kind-$(basename "$sources")-$key

# Races are looked for in what is built against this kernel, not in the kernel
# itself: that takes half of the time to build, and reports nobody else's.
build()
{
	make -s -C "$sources" O="$dir" CC="ccache gcc" LOCALVERSION="-$kind" \
		KCSAN_SANITIZE=n -j"$(nproc)" "$@" </dev/null
}

# A wish that kconfig does not grant would be a checker that checks nothing.
configure()
{
	cat "$configs/guest.config" "$configs/$kind.config" >"$dir/wish"
	KCONFIG_ALLCONFIG=$dir/wish build allnoconfig
	grep -v '^# [^C]' "$dir/wish" | grep -vxFf "$dir/.config" >"$dir/denied" || :
	[ ! -s "$dir/denied" ] || {
		cat "$dir/denied"
		return 1
	}
}

build_all()
{
	configure || return
	build bzImage modules || return
	build INSTALL_MOD_PATH="$dir/image" modules_install || return
	mkdir -p "$dir/image/boot"
	cp "$dir/arch/x86/boot/bzImage" \
		"$dir/image/boot/vmlinuz-$(cat "$dir/include/config/kernel.release")"
	# what modules are built against is not among these
	find "$dir" \( -path "$dir/scripts" -o -path "$dir/tools" \) -prune -o \
		-type f \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) -exec rm -f {} +
}

mkdir -p "$dir" "$cache/ccache"
exec 8>"$dir.lock"
flock 8
if [ ! -e "$dir/ready" ]; then
	# Messages in another language make no other object files.
	export CCACHE_SLOPPINESS=locale CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=3G
	say "building the $kind kernel (minutes)"
	quietly "$dir.log" build_all 8>&-
	touch "$dir/ready"
fi
echo "$dir"
