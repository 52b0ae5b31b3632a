#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ring 2: the KUnit suites, in a kernel full of checkers, under QEMU.
#
# usage: kunit.sh [GLOB]	run the suites (those that match), print KTAP
#        kunit.sh --build	only build the kernel
#
# The driver directory is dropped into the distribution's kernel sources as it
# would be into anyone's tree: a symbolic link, a Kconfig and a Makefile line.
set -eu
. "$(dirname "$0")/lib.sh"

driver=drivers/gpu/pcounter
sources=$("$top/scripts/kernels.sh" source)
work=$cache/kunit/$(basename "$sources")
tree=$work/linux
build=$work/build
jobs=$(nproc)

# Hard links: files are replaced, never written in place.
make_tree()
{
	rm -rf "$tree.tmp"
	cp -al "$sources" "$tree.tmp"
	for file in drivers/Kconfig drivers/gpu/Makefile; do
		rm "$tree.tmp/$file"
	done
	sed 's|^endmenu|source "'$driver'/Kconfig"\n\nendmenu|' \
		"$sources/drivers/Kconfig" >"$tree.tmp/drivers/Kconfig"
	{
		cat "$sources/drivers/gpu/Makefile"
		echo 'obj-y += pcounter/'
	} >"$tree.tmp/drivers/gpu/Makefile"
	mv -T "$tree.tmp" "$tree"
}

# One tree serves every checkout of this user. Objects of another checkout
# must go: they may be newer than the sources that the link now shows.
link_driver()
{
	[ "$(readlink "$tree/$driver" || :)" != "$top/$driver" ] || return 0
	ln -sfn "$top/$driver" "$tree/$driver"
	rm -rf "${build:?}/$driver"
}

kunit()
{
	command=$1
	shift
	(cd "$tree" && ./tools/testing/kunit/kunit.py "$command" --arch=x86_64 \
		--build_dir="$build" "$@") </dev/null
}

# What none of the suites may leave in the kernel's log.
splats='BUG:|WARNING:|INFO:|KASAN:|UBSAN:|ODEBUG:|Oops|Kernel panic|general protection|refcount_t:|Call Trace:'

mkdir -p "$work" "$cache/ccache"
exec 9>"$work/lock"
flock 9
[ -d "$tree" ] || make_tree
link_driver

# Messages in another language make no other object files.
export CCACHE_SLOPPINESS=locale
export CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=2G PYTHONDONTWRITEBYTECODE=1
say "building the kernel (minutes if it is the first time)"
quietly "$work/build.log" kunit build --kunitconfig=$driver/tests/.kunitconfig \
	--make_options "CC=ccache gcc" --jobs="$jobs"
if grep -E "$driver/.*(warning|error):" "$work/build.log" >&2; then
	die "the driver does not build cleanly"
fi
[ "${1-}" != --build ] || exit 0

say "running the suites"
rm -f "$build/test.log"
# A dead kernel is to end at once, not to wait for the time limit.
kunit exec --raw_output=kunit --timeout=600 \
	--kernel_args=oops=panic --kernel_args=panic=-1 \
	--qemu_args='-smp 2 -accel tcg,thread=single' ${1+"$1"} >"$work/test.tap"
cat "$work/test.tap"

if grep -nE "$splats" "$build/test.log" >"$work/splats"; then
	head -n 20 "$work/splats" >&2
	die "the kernel complained; the whole log is $build/test.log"
fi
tally=$("$top/scripts/tap.py" "$work/test.tap")
[ "${tally#* }" = 0 ]
