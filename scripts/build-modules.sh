#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the modules for one of the distribution's kernels, outside the sources.
#
# usage: build-modules.sh [--strict|--kunit] LINE
#
# LINE is one of scripts/kernels.sh. Prints the directory that holds pcounter.ko
# and pcounter_sim.ko, and what the guests' tests need besides them in tests/.
# With --strict everything is built and checked by sparse anew, and any warning
# is an error. With --kunit there is only pcounter.ko, with the KUnit suites in it.
set -eu
. "$(dirname "$0")/lib.sh"

kind=modules
config="CONFIG_PCOUNTER_SIM=m CONFIG_PCOUNTER_SLEEPER=m"
modules="pcounter pcounter_sim tests/pcounter_sleeper tests/pcounter_race"
case ${1-} in
--strict)
	kind=strict-modules
	shift
	;;
--kunit)
	kind=kunit-modules
	config=CONFIG_PCOUNTER_KUNIT_TEST=y
	modules=pcounter
	shift
	;;
esac
[ $# -eq 1 ] || die "usage: build-modules.sh [--strict|--kunit] LINE"
line=$1
kdir=$("$top/scripts/kernels.sh" headers "$line")
checks=
if [ "$line" = debug ] || [ "$line" = kunit ]; then
	# Coverage, in a kernel that can tell.
	config="$config GCOV_PROFILE=y"
	# KASAN does not see what these do where the compiler is older than GCC 13.
	checks="-Dmemcpy=__asan_memcpy -Dmemmove=__asan_memmove -Dmemset=__asan_memset"
	# Unit tests run the model under sanitizers. Here those of the model take a seventh
	# of the time.
	for object in "$top"/drivers/gpu/pcounter/model/*.c; do
		object=model/$(basename "$object" .c).o
		config="$config KASAN_SANITIZE_$object=n UBSAN_SANITIZE_$object=n GCOV_PROFILE_$object=n"
	done
fi

# Apart, so that a check does not pull modules from under a guest.
out=$top/build/$kind/$(basename "$kdir")
log=$out.log
mkdir -p "$out"
exec 9>"$out.lock"
flock 9

# The files of a tree that kbuild reads, without what it made itself.
list_sources()
{
	(cd "$1" && find . -name build -prune -o -type f \
		\( -path './drivers/*' -o -path './include/*' -o -path './Kbuild' -o -path './Makefile' -o -path './dkms.conf' \) \
		\( -name '*.[ch]' -o -name Kbuild -o -name Makefile -o -name dkms.conf \) \
		! -name '*.mod.c' -print) | sort
}

# Copies what differs, so that make rebuilds only that; removes what is gone.
list_sources "$top" >"$out.files"
while read -r file; do
	cmp -s "$top/$file" "$out/$file" && continue
	mkdir -p "$out/$(dirname "$file")"
	cp "$top/$file" "$out/$file"
done <"$out.files"
list_sources "$out" >"$out.there"
comm -13 "$out.files" "$out.there" | while read -r file; do
	rm -f "$out/$file" "$out/${file%.c}.o"
done

# shellcheck disable=SC2086 # config is a list of words
kbuild()
{
	set -- CONFIG_PCOUNTER=m $config ${checks:+KCFLAGS="$checks"} -j"$(nproc)" "$@"
	if [ "$line" = newest ]; then
		# in the system that it came from, with the compiler it asks for
		root=${kdir%/usr/src/*}
		"$top/scripts/newest.sh" run "$root" "$out" \
			make -C "${kdir#"$root"}" M=/mnt "$@"
	else
		make -C "$kdir" M="$out" "$@"
	fi </dev/null
}

if [ $kind = strict-modules ]; then
	quietly "$log" kbuild clean
	# sparse is installed here, not there
	[ "$line" = newest ] || sparse="C=2 CF=-D__CHECK_ENDIAN__"
	# shellcheck disable=SC2086 # two words
	quietly "$log" kbuild W=1 ${sparse-} modules
	# The packaged kernel may come from another build of the same compiler.
	if grep -iE '(warning|error):' "$log" |
		grep -v 'the compiler differs from the one used' >&2; then
		die "the build is not clean: $log"
	fi
else
	quietly "$log" kbuild modules
fi

dir=$out/drivers/gpu/pcounter
for module in $modules; do
	[ -f "$dir/$module.ko" ] || die "no $module.ko came out: $log"
done
echo "$dir"
