#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the modules for one of the distribution's kernels, outside the sources.
#
# usage: build-modules.sh [--strict] 6.1|6.12
#
# Prints the directory that holds pcounter.ko and pcounter_sim.ko. With --strict
# everything is built and checked by sparse anew, and any warning is an error.
set -eu
. "$(dirname "$0")/lib.sh"

strict=
if [ "${1-}" = --strict ]; then
	strict=y
	shift
fi
[ $# -eq 1 ] || die "usage: build-modules.sh [--strict] 6.1|6.12"
kdir=$("$top/scripts/kernels.sh" headers "$1")

# Apart, so that a check does not pull modules from under a guest.
out=$top/build/${strict:+strict-}modules/$(basename "$kdir")
log=$out.log
mkdir -p "$out"
exec 9>"$out.lock"
flock 9

# The files of a tree that kbuild reads, without what it made itself.
list_sources()
{
	(cd "$1" && find . -name build -prune -o -type f \
		\( -path './drivers/*' -o -path './include/*' -o -path './Kbuild' -o -path './Makefile' \) \
		\( -name '*.[ch]' -o -name Kbuild -o -name Makefile \) \
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

kbuild()
{
	make -C "$out" KDIR="$kdir" -j"$(nproc)" "$@" </dev/null
}

if [ -n "$strict" ]; then
	quietly "$log" kbuild clean
	quietly "$log" kbuild W=1 C=2 CF=-D__CHECK_ENDIAN__
	# The packaged kernel may come from another build of the same compiler.
	if grep -iE '(warning|error):' "$log" |
		grep -v 'the compiler differs from the one used' >&2; then
		die "the build is not clean: $log"
	fi
else
	quietly "$log" kbuild
fi

dir=$out/drivers/gpu/pcounter
for module in pcounter pcounter_sim; do
	[ -f "$dir/$module.ko" ] || die "no $module.ko came out: $log"
done
echo "$dir"
