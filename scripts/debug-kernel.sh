#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Build kernels with checkers from Debian's sources, with no more than guests need.
#
# usage: debug-kernel.sh debug	address, lock, life time, DMA and leak checkers;
#				failing allocations, KUnit, coverage
#        debug-kernel.sh kcsan	the checker for data races of modules
#        debug-kernel.sh kunit	address and lock checkers and KUnit, in minutes:
#				no network, no virtio, no file system of the host
#        debug-kernel.sh ready KIND	is it there already?
#
# Prints the directory to build modules against; image/ in it is as scripts/kernels.sh
# describes. A kernel is built once for a version and configuration.
set -eu
. "$(dirname "$0")/lib.sh"

usage="usage: debug-kernel.sh [ready] debug|kcsan|kunit"
wanted=
if [ "${1-}" = ready ]; then
	wanted=$1
	shift
fi
[ $# -eq 1 ] || die "$usage"
kind=$1
kernels=$top/tools/testing/guest/kernels
case $kind in
debug | kcsan)
	configs="$kernels/guest.config $kernels/$kind.config"
	;;
kunit)
	configs=$kernels/kunit.config
	;;
*)
	die "$usage"
	;;
esac
# The checkers look at modules, and in the kernel itself only at files that work on memory
# of a driver. The kernel builds much faster and reports no races of others. The names are
# those of object files, wherever they are.
sanitize="KASAN_SANITIZE=n UBSAN_SANITIZE=n KCSAN_SANITIZE=n"
for object in core ring_buffer hrtimer irq_work workqueue tree srcutree notifier \
	trace_event_perf dd bus devres platform class runtime pci-driver mapping \
	direct kobject seq_file list_debug refcount klist debugobjects test assert \
	string-stream; do
	sanitize="$sanitize KASAN_SANITIZE_$object.o=y"
done

sources=$("$top/scripts/kernels.sh" source)
# shellcheck disable=SC2086 # a list of files
key=$(cat $configs "$0" | sha256sum | cut -c 1-8)
dir=$cache/debug/$kind-$(basename "$sources")-$key
if [ -n "$wanted" ]; then
	[ -e "$dir/ready" ]
	exit
fi

# The kernel is kept, so ccache need not keep its objects. Objtool is needed for jump
# labels, mitigations and the ORC unwinder only, which these kernels do not have.
# shellcheck disable=SC2086 # a list of words
build()
{
	CCACHE_DISABLE=1 make -s -C "$sources" O="$dir" LOCALVERSION="-$kind" \
		CONFIG_OBJTOOL= $sanitize -j"$(nproc)" "$@" </dev/null
}

# An option that kconfig does not grant would be a checker that checks nothing.
configure()
{
	# shellcheck disable=SC2086 # a list of files
	cat $configs >"$dir/wish"
	KCONFIG_ALLCONFIG=$dir/wish build allnoconfig || return
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
	# modules are built without objtool, too
	sed -i '/^CONFIG_OBJTOOL=/d' "$dir/include/config/auto.conf"
	# modules are built against other files
	find "$dir" \( -path "$dir/scripts" -o -path "$dir/tools" \) -prune -o \
		-type f \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) -exec rm -f {} +
}

mkdir -p "$dir"
exec 8>"$dir.lock"
flock 8
if [ ! -e "$dir/ready" ]; then
	say "building the $kind kernel (minutes)"
	quietly "$dir.log" build_all 8>&-
	touch "$dir/ready"
fi
echo "$dir"
