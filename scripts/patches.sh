#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Write the driver as a series of patches for a kernel tree, into build/patches.
#
# usage: patches.sh [LINUX]		for the sources in LINUX; those of Debian's 6.12 by
#					default, of the newest kernel with "newest"
#        patches.sh --check [LINUX]	and build the driver in a copy of these sources, with
#					longs of 32 bits
#        patches.sh --kunit [LINUX]	and run its suites there by kunit.py
#
# There is a patch for each folder, from the bottom up; the last one lets Kconfig and
# make see them all. Documentation/gpu/pcounter/upstream.rst describes the series.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

check=
case ${1-} in
--check | --kunit)
	check=$1
	shift
	;;
esac
case ${1-} in
"")	linux=$("$top/scripts/kernels.sh" source) ;;
newest)	linux=$(SOURCE_LINE=newest "$top/scripts/kernels.sh" source) ;;
*)	linux=$1 ;;
esac
out=$top/build/patches
work=$top/build/patches-work
driver=drivers/gpu/pcounter
made_up=tools/testing/pcounter
author=$(sed -n 's/^M:\t//p' "$top/MAINTAINERS" | head -n 1)
mail=${author#*<}
page=$top/Documentation/gpu/pcounter/upstream.rst

# TITLE|FILES of each patch, as git finds them. The text of patch N is item N of the page.
series()
{
	cat <<-END
	Documentation: gpu: pcounter: what is known of the hardware|Documentation/gpu/pcounter Documentation/model.rst
	gpu: pcounter: chips, signals, terms and what fits into a domain|$driver/rules $driver/params.* $driver/compat* include/uapi
	gpu: pcounter: registers of the three layouts|$driver/hw
	gpu: pcounter: a model of the hardware|$made_up/model
	gpu: pcounter: count in quad and single event mode, and idle clocks|$driver/count
	gpu: pcounter: record mode|$driver/record
	gpu: pcounter: the PMUs|$driver/perf
	gpu: pcounter: experiments that answer open questions|$driver/lab
	gpu: pcounter: a simulated GPU, and KUnit suites|$driver/tests $made_up/Kbuild $made_up/sim.c
	gpu: pcounter: find GPUs, beside their graphics driver|$driver Documentation/ABI Documentation/admin-guide/perf
	END
}

# item NUMBER: the page's text of a patch
item()
{
	awk -v number="$1" '
		/^[0-9]+\. / { on = ($1 == number "."); sub(/^[0-9]+\. +/, "") }
		/^$/ { on = 0 }
		on { sub(/^ +/, ""); print }' "$page" | sed 's/``//g'
}

# Insert our entry into the kernel's, in alphabetical order.
maintainers()
{
	sed -n '/^NVIDIA GPU/,$p' "$top/MAINTAINERS" | sed "/^F:.*\\(contrib\\|scripts\\)/d; s|tools/$|$made_up/|" >"$work/entry"
	LC_ALL=C awk -v file="$work/entry" '
		/^3C59X/ { list = 1 }
		list && !done && /^[A-Z0-9]+[^:]/ && $0 > "NVIDIA GPU" {
			while ((getline line <file) > 0)
				print line
			print ""
			done = 1
		}
		{ print }' "$linux/MAINTAINERS" >MAINTAINERS
}

cover()
{
	awk '/^The cover letter$/ { on = 1; getline; getline; next }
		/^\.\. _/ { on = 0 }
		on' "$page" | sed 's/``//g'
}

commit()
{
	git add -A
	git -c user.name="${author% <*}" -c user.email="${mail%>}" commit -q -s -F -
}

write_series()
{
	git init -q -b series
	mkdir -p drivers/gpu
	for file in drivers/Kconfig drivers/gpu/Makefile MAINTAINERS; do
		cp "$linux/$file" "$file"
	done
	echo "base" | commit
	number=0
	series | while IFS='|' read -r title files; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # patterns, for git
		(cd "$top" && set -f && git ls-files -- $files) | while read -r file; do
			mkdir -p "$(dirname "$file")"
			cp "$top/$file" "$file"
		done
		# generated, so git does not list them
		case $number in
		2) cp "$top/$driver"/rules/*.c "$driver/rules" ;;
		3) cp "$top/$driver"/hw/*.c "$driver/hw" ;;
		esac
		if [ "$number" -eq "$count" ]; then
			maintainers
			sed -i '/^endmenu/i source "drivers/gpu/pcounter/Kconfig"\n' drivers/Kconfig
			# shellcheck disable=SC2016 # for make to expand
			echo 'obj-$(CONFIG_PCOUNTER)	+= pcounter/' >>drivers/gpu/Makefile
		fi
		printf '%s\n\n%s\n' "$title" "$(item "$number")" | commit
	done
	git config branch.series.description "gpu: pcounter: performance counters of NVIDIA GPUs

$(cover)"
	git format-patch -q --cover-letter --cover-from-description=subject \
		--subject-prefix="RFC PATCH" -o "$out" "HEAD~$count"
}

# kernel_make OUT WORD...: of the sources with the patches
kernel_make()
{
	make -s -C "$work/linux" O="$1" "${@:2}" </dev/null
}

kunit_py()
{
	"$work/linux/tools/testing/kunit/kunit.py" "$@" --arch=x86_64 --kunitconfig="$driver" \
		--build_dir="$work/kunit" </dev/null
}

# Build with longs of 32 bits; out-of-tree builds have longs of 64 bits.
build_driver()
{
	cp -rs "$linux" "$work/linux"
	for file in drivers/Kconfig drivers/gpu/Makefile MAINTAINERS; do
		cp --remove-destination "$linux/$file" "$work/linux/$file"
	done
	# kunit.py builds the tree that contains it
	rm -r "$work/linux/tools/testing/kunit"
	cp -r "$linux/tools/testing/kunit" "$work/linux/tools/testing"
	cat "$out"/*.patch | patch -s -d "$work/linux" -p1 || return
	diff -r -x '*.o' "$top/$driver" "$work/linux/$driver" || return
	mkdir -p "$work/out"
	{
		cat "$top/tools/testing/guest/kernels/guest.config"
		printf 'CONFIG_%s=y\n' KUNIT PCOUNTER PCOUNTER_LAB PCOUNTER_KUNIT_TEST
	} >"$work/wish"
	kernel_make "$work/out" ARCH=i386 KCONFIG_ALLCONFIG="$work/wish" allnoconfig || return
	grep -c '^CONFIG_PCOUNTER.*=y' "$work/out/.config" | grep -qx 3 || return
	kernel_make "$work/out" ARCH=i386 -j"$(nproc)" W=1 KCFLAGS=-Werror "$driver/" || return
	kernel_make "$work/out" ARCH=i386 -j"$(nproc)" W=1 KCFLAGS=-Werror M="$work/linux/$made_up" sim.o || return
	# a 32-bit kernel has no function to divide 64 bits by 64, but div64_u64()
	! nm "$work/out/$driver"/*.o "$work/out/$driver"/*/*.o "$work/out/$made_up"/*/*.o \
		"$work/linux/$made_up/sim.o" | grep -E '__u?(div|mod)di3' || return
	# kunit.py finds all that it asks for
	kunit_py config || return
	[ "$check" != --kunit ] || kunit_py run --timeout=1200 --qemu_args='-smp 2'
}

make -s -C "$top" tables
rm -rf "$work" "$out"
mkdir -p "$work/tree" "$out"
count=$(series | wc -l)
(cd "$work/tree" && write_series)
[ -z "$check" ] || quietly "$top/build/patches.log" build_driver
rm -rf "$work"
find "$out" -name '*.patch' | sort
