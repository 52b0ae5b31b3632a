#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Build the modules for one of Debian's kernels, in a copy of the sources.
#
# usage: build-modules.sh [--strict|--kunit|--users] LINE
#
# LINE is one of scripts/kernels.sh. Prints a directory with links to pcounter.ko,
# pcounter_lab.ko, pcounter_sim.ko and the modules for the guests' tests. With --strict a
# warning is an error, also one of sparse. With --kunit there is only pcounter.ko, with the
# KUnit suites in it. With --users the modules are what users install, without the
# parameters of test builds.
set -eu
. "$(dirname "$0")/lib.sh"

kind=modules
config="CONFIG_PCOUNTER_LAB=m CONFIG_PCOUNTER_SIM=m CONFIG_PCOUNTER_SLEEPER=m CONFIG_PCOUNTER_TEST_PARAMS=y"
modules="pcounter pcounter_lab pcounter_sim pcounter_sleeper pcounter_race pcounter_switch pcounter_rotate pcounter_restart"
model=model
strict=
case ${1-} in
--strict)
	strict=yes
	shift
	;;
--kunit)
	kind=kunit-modules
	config="CONFIG_PCOUNTER_KUNIT_TEST=y CONFIG_PCOUNTER_TEST_PARAMS=y"
	modules=pcounter
	model=../../../tools/testing/pcounter/model
	shift
	;;
--users)
	kind=user-modules
	config="CONFIG_PCOUNTER_LAB=m"
	modules="pcounter pcounter_lab"
	shift
	;;
esac
[ $# -eq 1 ] || die "usage: build-modules.sh [--strict|--kunit|--users] LINE"
line=$1
kdir=$("$top/scripts/kernels.sh" headers "$line")
flags=$module_flags
config="$config $module_config"
sparse="-D__CHECK_ENDIAN__ -Wno-context"
# The strict check and the guests share one build.
warnings=
# kernel-doc is a static check of its own, which also reads headers.
w1="W=1 cmd_checkdoc="
case $line in
# sparse finds the same for each kernel and takes half as long as the compiler, so it
# runs for 6.1 only. It does not know that the end of a scope unlocks what guard() has
# locked; since 7.0 the kernel's sparse does not look at locks at all.
6.1)	warnings="$w1$(! command -v sparse >/dev/null || echo " C=1")" ;;
6.12 | newest) warnings=$w1 ;;
esac
case $line in
debug* | kunit)
	# Compilers before GCC 13 do not instrument these functions for KASAN. Kernels before
	# 6.3 check in the functions themselves.
	[ "$line" = debug-6.1 ] ||
		flags="$flags -Dmemcpy=__asan_memcpy -Dmemmove=__asan_memmove -Dmemset=__asan_memset"
	# Unit tests run the model under sanitizers. Here these would take a seventh of the
	# time.
	for object in "$top"/tools/testing/pcounter/model/*.c; do
		object=$model/$(basename "$object" .c).o
		config="$config KASAN_SANITIZE_$object=n UBSAN_SANITIZE_$object=n GCOV_PROFILE_$object=n"
	done
	;;
esac
# The kernel debug counts executed lines.
[ "$line" != debug ] || config="$config GCOV_PROFILE=y"

out=$top/build/$kind/$(basename "$kdir")
log=$out.log
mkdir -p "$out"
exec 9>"$out.lock"
flock 9

make -s -C "$top" tables

# List the files of a tree that kbuild reads, without its own products.
list_sources()
{
	(cd "$1" && find . -name build -prune -o -type f \
		\( -path './drivers/*' -o -path './include/*' -o -path './tools/testing/pcounter/*' ! -path '*/vgpu/*' \
		-o -path './Kbuild' -o -path './Makefile' -o -path './dkms.conf' \) \
		\( -name '*.[ch]' -o -name Kbuild -o -name Makefile -o -name dkms.conf \) \
		! -name '*.mod.c' -print) | sort
}

# Copy changed files, so that make rebuilds only these, and remove deleted ones.
list_sources "$top" >"$out.files"
(cd "$top" && xargs sha256sum <"$out.files") >"$out.sums"
(cd "$out" && LC_ALL=C sha256sum -c "$out.sums" 2>/dev/null) | sed -n 's/: FAILED.*//p' |
	while read -r file; do
		mkdir -p "$out/$(dirname "$file")"
		cp "$top/$file" "$out/$file"
	done
list_sources "$out" >"$out.there"
comm -13 "$out.files" "$out.there" | while read -r file; do
	rm -f "$out/$file" "$out/${file%.c}.o"
done

# shellcheck disable=SC2086 # lists of words
kbuild()
{
	set -- CONFIG_PCOUNTER=m $config $warnings CF="$sparse" KCFLAGS="$flags" -j"$(nproc)" "$@"
	if [ "$line" = newest ]; then
		# with the compiler of its own system
		root=${kdir%/usr/src/*}
		"$top/scripts/system.sh" run --bind "$out" "$root" \
			make -C "${kdir#"$root"}" M=/mnt "$@"
	else
		make -C "$kdir" M="$out" "$@"
	fi </dev/null
}

# make takes seconds to find that there is nothing to do, and a guest may be reading the
# modules: they are not built again for the same sources.
how="$kdir $config $flags $warnings"
now=$(sha256sum <"$out.sums")
built=$out.built
# make repeats no warning about unchanged files: after a warning all are made anew.
warned=$out.warned
if [ ! -e "$built" ] || [ "$(cat "$built")" != "$how $now" ]; then
	if [ -s "$warned" ] || ! grep -qsF "$how" "$built"; then
		quietly "$log" kbuild clean
	fi
	rm -f "$built"
	# modules of sources that have moved since would be found, too
	find "$out" -name '*.ko' -delete
	quietly "$log" kbuild modules
	# The packaged kernel may come from another build of the same compiler.
	grep -iE '(warning|error):' "$log" |
		grep -v 'the compiler differs from the one used' >"$warned" || :
	rm -rf "$out/all"
	mkdir "$out/all"
	find "$out/drivers" "$out/tools" -name '*.ko' -exec ln -rs -t "$out/all" {} +
	echo "$how $now" >"$built"
fi

if [ -n "$strict" ] && [ -s "$warned" ]; then
	cat "$warned" >&2
	die "the build is not clean: $log"
fi

dir=$out/all
for module in $modules; do
	[ -f "$dir/$module.ko" ] || die "no $module.ko came out: $log"
done
# The laboratory and the model are modules of their own.
if [ -n "$strict" ] && nm "$dir/pcounter.ko" | grep -E ' (bench_|try_|pcmodel|pcounter_(bench|experiment))'; then
	die "pcounter.ko has symbols that belong to another module"
fi
echo "$dir"
