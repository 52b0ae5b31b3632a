#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Write the driver as a series of patches for a kernel tree, into build/patches.
#
# usage: patches.sh [LINUX]		for the sources in LINUX; those of Debian's 6.12 by
#					default, of the newest kernel with "newest"
#        patches.sh --check [LINUX]	and apply them to a copy of these sources by git am,
#					show them to checkpatch, build what each one adds,
#					and the driver with longs of 32 bits
#        patches.sh --kunit [LINUX]	and run its suites there by kunit.py
#
# There is a patch for each folder, from the bottom up; the last one lets Kconfig and
# make see them all, so a patch is built by a Makefile of this tree. Documentation/gpu/pcounter/upstream.rst describes the series.
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
	gpu: pcounter: count in quad and single event mode, and idle clocks|$driver/count
	gpu: pcounter: record mode|$driver/record
	gpu: pcounter: the PMUs|$driver/perf
	gpu: pcounter: find GPUs, beside their graphics driver|:(glob)$driver/*.[ch] Documentation/ABI Documentation/admin-guide/perf
	gpu: pcounter: experiments that answer open questions|$driver/lab
	gpu: pcounter: a model of the hardware|$made_up/model
	gpu: pcounter: a simulated GPU, and KUnit suites|$driver/tests $made_up/Kbuild $made_up/sim.c
	gpu: pcounter: allow compilation|$driver
	END
}

# Make the page's text that of a mail.
mail_text()
{
	sed 's/``//g' | fmt -w 75 | sed 's/\.  /. /'
}

# item NUMBER: the page's text of a patch
item()
{
	awk -v number="$1" '
		/^[0-9]+\. / { on = ($1 == number "."); sub(/^[0-9]+\. +/, "") }
		/^$/ { on = 0 }
		on { sub(/^ +/, ""); print }' "$page" | mail_text
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
		on' "$page" | mail_text
}

# as_author COMMAND...: run git with the author's name
as_author()
{
	git -c user.name="${author% <*}" -c user.email="${mail%>}" "$@"
}

commit()
{
	git add -A
	as_author commit -q -s -F -
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
		[ "$number" -ne 1 ] || maintainers
		if [ "$number" -eq "$count" ]; then
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

# Copy the sources, as symbolic links but for the files that the series changes.
copy_sources()
{
	cp -rs "$linux" "$work/linux"
	# kunit.py builds the tree that contains it
	rm -r "$work/linux/tools/testing/kunit"
	cp -r "$linux/tools/testing/kunit" "$work/linux/tools/testing"
	cd "$work/linux"
	cp --remove-destination "$linux/MAINTAINERS" .
	cp --remove-destination "$linux/drivers/Kconfig" drivers
	cp --remove-destination "$linux/drivers/gpu/Makefile" drivers/gpu
	# the Makefile gives the compiler this folder
	mkdir -p "$made_up/model"
	# git does not follow links of these names
	find . -name '.git[ai]*' -delete
	git init -q
	git add MAINTAINERS drivers/Kconfig drivers/gpu/Makefile
	as_author commit -q -m base
	cd "$top"
}

# build_added FOLDER MAKEFILE: build what the last patch has added to a folder
build_added()
{
	git -C "$work/linux" diff-tree -r --diff-filter=A --name-only --relative="$1" HEAD^ HEAD -- '*.c' |
		sed '/compat_probe/d; s/c$/o/' >"$work/objects"
	[ -s "$work/objects" ] || return 0
	# the series has it later
	cp "$top/$1/$2" "$work/linux/$1"
	# shellcheck disable=SC2046 # words
	kernel_make "$work/out" ARCH=i386 -j"$(nproc)" W=1 KCFLAGS=-Werror M="$work/linux/$1" \
		CONFIG_PCOUNTER=m CONFIG_PCOUNTER_LAB=m CONFIG_PCOUNTER_KUNIT_TEST=y \
		$(cat "$work/objects") || return
	git -C "$work/linux" clean -q -f -d -x "$1"
}

# Lines of tables that a script makes are long; the checks of files look at the others.
# 6.12 has no kzalloc_obj().
apply()
{
	perl "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary \
		--show-types --ignore LONG_LINE,FILE_PATH_CHANGES,ALLOC_WITH_SIZEOF "$1" || return
	(cd "$work/linux" && as_author am -q --whitespace=error "$1") || return
	build_added "$driver" Makefile && build_added "$made_up" Kbuild
}

# Before the last patch the kernel knows only KUNIT of the four.
configure()
{
	{
		cat "$top/tools/testing/guest/kernels/guest.config"
		printf 'CONFIG_%s=y\n' KUNIT PCOUNTER PCOUNTER_LAB PCOUNTER_KUNIT_TEST
	} >"$work/wish"
	kernel_make "$work/out" ARCH=i386 KCONFIG_ALLCONFIG="$work/wish" allnoconfig
}

check_series()
{
	copy_sources || return
	mkdir -p "$work/out"
	configure || return
	kernel_make "$work/out" ARCH=i386 -j"$(nproc)" modules_prepare || return
	for patch in "$out"/*.patch; do
		[[ $patch == */0000-cover-letter.patch ]] || apply "$patch" || return
	done
	build_driver
}

# Build with longs of 32 bits; out-of-tree builds have longs of 64 bits.
build_driver()
{
	diff -r -x '*.o' "$top/$driver" "$work/linux/$driver" || return
	configure || return
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
[ -z "$check" ] || quietly "$top/build/patches.log" check_series
rm -rf "$work"
find "$out" -name '*.patch' | sort
