#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A series of patches that brings the driver into a kernel tree.
#
# usage: patches.sh [LINUX]		write it to build/patches, for the sources in LINUX
#					(those of the distribution's 6.12 if not said)
#        patches.sh --check [LINUX]	and build the driver after each of them, in a
#					copy of these sources, with longs of 32 bits
#        patches.sh --kunit [LINUX]	that, and run the KUnit suites that are there
#					after each of them, in a kernel by kunit.py
#
# "newest" is for those of the newest kernel that Debian has: what is here of mainline.
#
# The driver's folders are floors: a patch for each, from the bottom up, needs only
# those before it. Documentation/gpu/pcounter/upstream.rst tells of the series.
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
newest)	linux=$("$top/scripts/newest.sh" source) ;;
*)	linux=$1 ;;
esac
out=$top/build/patches
work=$top/build/patches-work
driver=drivers/gpu/pcounter
author=$(sed -n 's/^M:\t//p' "$top/MAINTAINERS" | head -n 1)
mail=${author#*<}
text=Documentation/gpu/pcounter/upstream.rst

# suites NAME...: files of the KUnit suites of these names
suites()
{
	for name; do
		printf '%s ' "$driver/tests/pcounter_${name}[._]*"
	done
}

# TITLE|FILES: what stands below the title is the section of that number in the page.
series()
{
	cat <<-END
	Documentation: gpu: pcounter: what is known of the hardware|Documentation/gpu/pcounter Documentation/model.rst
	gpu: pcounter: chips, signals, terms and what fits into a domain|$driver/Kconfig $driver/Makefile $driver/rules $driver/params.* $driver/compat* include/uapi
	gpu: pcounter: registers of the three layouts|$driver/hw $driver/pci_power.*
	gpu: pcounter: a model of the hardware|$driver/model
	gpu: pcounter: count in quad and single event mode|$driver/count $driver/.kunitconfig $(suites fake domain fault hostile power)
	gpu: pcounter: record mode|$driver/record
	gpu: pcounter: the PMU|$driver/perf
	gpu: pcounter: idle counters of PDAEMON|$driver/idle
	gpu: pcounter: experiments that tell what no document decides|$driver/experiment
	gpu: pcounter: find GPUs, beside their graphics driver|$driver/*.c $driver/*.h $(suites bucket idle names perf record) Documentation/ABI Documentation/admin-guide/perf MAINTAINERS
	gpu: pcounter: a simulated GPU|$driver/sim.c $driver/tests
	END
}

# The Makefile, without objects whose sources come later.
makefile()
{
	while IFS= read -r line; do
		case $line in
		pcounter-y* | pcounter-model* | pcounter-tests* | pcounter_sim-y*)
			for word in $line; do
				case $word in
				*.o)	[ -e "$driver/${word%.o}.c" ] || line=${line/ "$word"/} ;;
				esac
			done
			;;
		esac
		# nothing of it is there yet
		[[ ! $line =~ ^pcounter[_a-z-]*\ .?=\ *$ ]] || continue
		printf '%s\n' "$line"
	done <"$top/$driver/Makefile"
}

# The Kconfig, without options and suites whose sources come later.
kconfig()
{
	local later=""

	[ -e "$driver/sim.c" ] || later="PCOUNTER_SIM"
	[ -e "$driver/tests/pcounter_fake.c" ] || later="$later PCOUNTER_KUNIT_TEST"
	# a module needs what pci.c brings: its beginning, its end, its licence
	awk -v later=" $later " -v bool="$([ -e "$driver/pci.c" ] || echo y)" \
		-v tests="$driver/tests" '
		/^config / { off = index(later, " " $2 " ") }
		off { next }
		bool && /^\ttristate / { sub("tristate", "bool") }
		bool && /To compile this as a module/ { print "\t  If unsure, say N."; getline; next }
		/^\t  pcounter_[a-z]+\t/ {
			if ((getline line <(tests "/" $1 "_kunit.c")) < 0)
				next
		}
		{ print }' "$top/$driver/Kconfig"
}

# The files of one patch, into the tree we are in.
take()
{
	set -f
	# shellcheck disable=SC2086 # patterns, for git
	for pattern in $1; do
		case $pattern in
		MAINTAINERS)
			# among the others, by the alphabet; ends with a blank line
			sed -n '/^NVIDIA GPU/,$p' "$top/MAINTAINERS" | sed '/^F:.*\(scripts\|tools\)/d' >"$work/entry"
			LC_ALL=C awk -v file="$work/entry" '
				/^3C59X / { list = 1 }
				list && !done && /^[A-Z0-9]+[^:]/ && $0 > "NVIDIA GPU" {
					while ((getline line <file) > 0)
						print line
					print ""
					done = 1
				}
				{ print }' MAINTAINERS >"$work/maintainers"
			cp "$work/maintainers" MAINTAINERS
			continue
			;;
		esac
		(cd "$top" && git ls-files -- $pattern) | while read -r file; do
			case $pattern:$file in
			# a folder's own patch takes what is in it
			"$driver/*."*:"$driver"/*/* | "$driver/*.c:$driver/sim.c") continue ;;
			esac
			mkdir -p "$(dirname "$file")"
			cp "$top/$file" "$file"
		done
	done
	[ -e "$driver/Makefile" ] || return 0
	makefile >"$work/Makefile"
	kconfig >"$work/Kconfig"
	cp "$work/Makefile" "$work/Kconfig" "$driver"
}

# section NUMBER: what the page says of a patch
section()
{
	awk -v number="$1" '
		/^[0-9]+\. / { on = ($1 == number "."); sub(/^[0-9]+\. +/, "") }
		/^$/ { on = 0 }
		on { sub(/^ +/, ""); print }' "$top/$text" | sed 's/``//g'
}

commit()
{
	git add -A
	git -c user.name="${author% <*}" -c user.email="${mail%>}" \
		commit -q -s -F -
}

rm -rf "$work" "$out"
mkdir -p "$work/tree" "$out"
cd "$work/tree"
git init -q
mkdir -p drivers/gpu
for file in drivers/Kconfig drivers/gpu/Makefile MAINTAINERS; do
	cp "$linux/$file" "$file"
done
echo "base" | commit
number=0
series | while IFS='|' read -r title files; do
	number=$((number + 1))
	take "$files"
	if [ "$number" -eq 2 ]; then
		sed -i '/^endmenu/i source "drivers/gpu/pcounter/Kconfig"\n' drivers/Kconfig
		# shellcheck disable=SC2016 # for make to expand
		echo 'obj-$(CONFIG_PCOUNTER)	+= pcounter/' >>drivers/gpu/Makefile
	fi
	{
		printf '%s\n\n' "$title"
		section "$number"
	} | commit
done
count=$(($(git rev-list --count HEAD) - 1))
git format-patch -q --cover-letter --subject-prefix="RFC PATCH" -o "$out" "HEAD~$count"
awk '/^The cover letter$/ { on = 1; getline; getline; next }
	/^\.\. _/ { on = 0 }
	on' "$top/$text" | sed 's/``//g' >"$work/blurb"
sed -e 's/\*\*\* SUBJECT HERE \*\*\*/gpu: pcounter: performance counters of NVIDIA GPUs/' \
	-e "/^\*\*\* BLURB HERE/{
		r $work/blurb
		d
	}" "$out/0000-cover-letter.patch" >"$work/cover"
mv "$work/cover" "$out/0000-cover-letter.patch"

# kernel_make OUT WORD...: of the sources with the patches so far
kernel_make()
{
	make -s -C "$work/linux" O="$1" "${@:2}" </dev/null
}

# What kunit.py says of the suites that are there; all of them must pass.
run_suites()
{
	set -- "$work/linux/$driver"/tests/*_kunit.c
	[ -e "$1" ] || return 0
	mkdir -p "$work/kunit"
	# The small kernel of the other KUnit run without its checkers. kunit.py's own
	# choice of options takes several times as long to build.
	{
		sed '/^# The checkers/,$d' "$top/tools/testing/guest/kernels/kunit.config"
		echo CONFIG_ACPI=y
		cat "$work/linux/$driver/.kunitconfig"
	} >"$work/kunit.wish"
	kernel_make "$work/kunit" KCONFIG_ALLCONFIG="$work/kunit.wish" allnoconfig || return
	kernel_make "$work/kunit" -j"$(nproc)" bzImage || return
	"$work/linux/tools/testing/kunit/kunit.py" exec --arch=x86_64 \
		--build_dir="$work/kunit" --timeout=1200 --qemu_args='-smp 2' \
		</dev/null >"$work/kunit.said" 2>&1 || {
		cat "$work/kunit.said"
		return 1
	}
	for suite; do
		suite=${suite##*/}
		grep -q "\[PASSED\] ${suite%_kunit.c} " "$work/kunit.said" || {
			cat "$work/kunit.said"
			echo "did not pass: $suite"
			return 1
		}
	done
	echo "passed: $# suites,$(sed -n 's/.*Testing complete\.//p' "$work/kunit.said")"
}

# With longs of 32 bits: modules outside of a tree are built for those of 64.
build_driver()
{
	# most patches bring no option
	options=$(grep '^config ' "$work/linux/$driver/Kconfig")
	if [ "$options" != "${configured-}" ]; then
		mkdir -p "$work/out"
		kernel_make "$work/out" ARCH=i386 KCONFIG_ALLCONFIG="$work/wish" allnoconfig ||
			return
		configured=$options
	fi
	kernel_make "$work/out" ARCH=i386 -j"$(nproc)" W=1 KCFLAGS=-Werror "$driver/" || return
	[ -s "$work/out/$driver/built-in.a" ]
}

# A kernel of 32 bits has no function to divide 64 bits by 64: div64_u64() is for that.
no_division()
{
	! nm "$work/out/$driver"/*.o "$work/out/$driver"/*/*.o | grep -E '__u?(div|mod)di3'
}

build_each()
{
	cp -rs "$linux" "$work/linux"
	for file in drivers/Kconfig drivers/gpu/Makefile MAINTAINERS; do
		cp --remove-destination "$linux/$file" "$work/linux/$file"
	done
	# it builds the tree that its own file is in
	rm -r "$work/linux/tools/testing/kunit"
	cp -r "$linux/tools/testing/kunit" "$work/linux/tools/testing"
	{
		cat "$top/tools/testing/guest/kernels/guest.config"
		echo CONFIG_KUNIT=y
		echo CONFIG_PCOUNTER=y
		echo CONFIG_PCOUNTER_SIM=y
		echo CONFIG_PCOUNTER_KUNIT_TEST=y
	} >"$work/wish"
	for patch in "$out"/00*.patch; do
		case $patch in
		*cover-letter*)	continue ;;
		esac
		patch -s -d "$work/linux" -p1 <"$patch" || return
		[ -e "$work/linux/$driver/Kconfig" ] || continue
		build_driver || return
		echo "built: ${patch##*/}"
		[ "$check" != --kunit ] || run_suites || return
	done
	# Kconfig takes all of the driver as it is wished for
	grep -c '^CONFIG_PCOUNTER.*=y' "$work/out/.config" | grep -qx 3 || return
	no_division || return
	# and kunit.py what it asks for
	"$work/linux/tools/testing/kunit/kunit.py" config --arch=x86_64 \
		--kunitconfig="$driver" --build_dir="$work/kunit-config" </dev/null || return
	diff -r -x '*.o' "$top/$driver" "$work/linux/$driver"
}

if [ -n "$check" ]; then
	quietly "$top/build/patches.log" build_each
	grep -E '^(built|passed): ' "$top/build/patches.log" >&2
fi
rm -rf "$work"
find "$out" -name '*.patch' | sort
