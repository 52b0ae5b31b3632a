#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tests; the last line is "N passed, N failed".
#
# usage: check.sh [--all] [static|unit|kunit|guest|packages]...
#
# Without --all, what tells most in the time for which somebody waits; with it
# every test there is. The rings run side by side. Shown is what is not good;
# everything is in build/check. VERBOSE=1 shows everything.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$top"
logs=$top/build/check
usage="usage: check.sh [--all] [static|unit|kunit|guest|packages]..."
# Seconds after which it says how far it is, and after which it takes note.
TICK=60
SAMPLE=10

declare -A titles=(
	[static]="static checks"
	[unit]="ring 1: user space, sanitizers"
	[kunit]="ring 2: KUnit under KASAN and lockdep"
	[guest]="ring 3: guests with a virtual GPU"
	[packages]="packages: install, count, upgrade, purge"
)

# What is known of an earlier run like this one: here, or where the table was made.
earlier()
{
	for there in "$cache/times/$run" "scripts/tables/times/$run" \
			"scripts/tables/times/${run%-cold}-warm"; do
		[ ! -s "$there" ] || break
	done
	echo "$there"
}

run_ring()
{
	case $1 in
	static)	nice -n "${all:+5}${quick:+15}" scripts/static.sh $all ;;
	unit)	nice -n 10 make -s -j"$(nproc)" -C tools/testing/unit check ${quick:+quick=yes} ;;
	kunit)	scripts/kunit.sh --kernel "$kunit_kernel" ;;
	guest)	nice -n 5 tools/testing/guest/run-tests ${quick:+--quick} ;;
	packages) nice -n 5 tools/testing/guest/run-packages ;;
	esac
}

# How many tests of a ring have passed so far.
passed_of()
{
	grep -c '^ *ok ' "$logs/$1.tap" 2>/dev/null || :
}

# Lines "SECONDS RING PASSED" are kept: a later run compares itself with them.
sample()
{
	for sampled in $rings; do
		echo "$SECONDS $sampled $(passed_of "$sampled")"
	done >>"$logs/times"
}

# When did the earlier run have as many tests behind it, and how much later was it done?
# One that is slower so far will be that for the rest.
estimate()
{
	awk -v now="$SECONDS" '
		FNR == 1 { split("", known); all = 0; files++ }
		{ all += $3 - known[$2]; known[$2] = $3 }
		files == 1 { end = $1; at[NR] = $1; count[NR] = all; n = NR }
		END {
			# no sample is taken yet
			if (files < 2)
				all = 0
			for (i = 1; i <= n; i++) {
				if (count[i] < all)
					first = at[i]
				if (count[i] <= all)
					then = at[i]
			}
			# nothing is heard of any test for a while, then and now
			if (now < then)
				then = now > first ? now : first
			print int((end - then) * (then >= 60 ? now / then : 1))
		}' "$(earlier)" "$logs/times"
}

left()
{
	[ -n "$complete" ] || return 0
	seconds=$(estimate)
	if [ "$seconds" -lt 60 ]; then
		echo ", less than a minute left"
	else
		echo ", about $(((seconds + 30) / 60)) min left"
	fi
}

progress()
{
	printf '== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# Every now and then, for the impatient.
tick()
{
	while sleep "$SAMPLE"; do
		sample
		[ $((SECONDS / TICK)) -ne $(((SECONDS - SAMPLE) / TICK)) ] || continue
		progress "$(cat "$logs"/*.tap 2>/dev/null | grep -c '^ *ok ') tests passed$(left)"
	done
}

# Failures, and what stands around them.
show()
{
	[ -z "${VERBOSE-}" ] || exec cat
	exec awk '
		/^ *(ok |1\.\.|K?TAP version)/ { kept = ""; open = 0; next }
		/^ *not ok / { printf "%s", kept; print; kept = ""; open = 1; fflush(); next }
		open { print; fflush(); next }
		{ kept = substr(kept $0 "\n", length(kept) > 4000 ? 1000 : 1) }'
}

# Sets spent to the processor seconds of what this shell has waited for. Unlike the time
# on the clock they say what a ring costs, whatever runs beside it.
processor()
{
	# a subshell has times of its own
	times >"$logs/$1.processor"
	spent=$(awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' \
		"$logs/$1.processor")
}

# Runs one ring and takes its TAP into account.
ring()
{
	local name=$1 status=0 start=$SECONDS spent before

	progress "${titles[$name]}"
	processor "$name"
	before=$spent
	run_ring "$name" </dev/null 2> >(tee "$logs/$name.log" >&2) |
		tee "$logs/$name.tap" | show || status=$?
	# shellcheck disable=SC2046 # two numbers
	set -- $(scripts/tap.py "$logs/$name.tap")
	if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
		echo "# ${titles[$name]}: status $status although no case failed"
		set -- "$1" 1
	fi
	processor "$name"
	echo "$1 $2 $((SECONDS - start)) $((spent - before))" >"$logs/$name.result"
}

ring_if_asked()
{
	case " $rings " in
	*" $1 "*) ring "$1" ;;
	esac
}

# From when there is a compiler, while the other packages are installed: that is one
# processor's work.
build_kernels()
{
	progress "kernels with checkers: $*"
	for line; do
		scripts/kernels.sh image "$line" || :
	done >"$logs/kernels.log" 2>&1
}

# Guests wait for these, and a static check that has given way would make them slowly.
build_modules()
{
	progress "modules"
	scripts/build-modules.sh 6.12 >"$logs/modules.log" 2>&1 || :
}

# Something beside the rest, which ends with it. A group of processes can be ended.
jobs_aside=()
aside()
{
	set -m
	"$@" </dev/null &
	set +m
	jobs_aside+=($!)
}

end_aside()
{
	for job in "${jobs_aside[@]}"; do
		kill -- "-$job" 2>/dev/null || :
	done
}
trap end_aside EXIT

all=
quick=yes
run=check
kunit_kernel=kunit
if [ "${1-}" = --all ]; then
	shift
	all=--all
	quick=
	run=check-all
	# guests need it as well: one kernel less to build
	kunit_kernel=debug
fi
complete=
if [ $# -eq 0 ]; then
	complete=yes
	# shellcheck disable=SC2086 # one word or none
	set -- static unit kunit guest ${all:+packages}
fi
for name; do
	[ -n "${titles[$name]-}" ] || die "$usage"
done

rings=$*
rm -rf "$logs" build/coverage
mkdir -p "$logs"
: >"$logs/times"
progress "what this machine lacks"
scripts/setup.sh kernel
scripts/kernels.sh source >"$logs/source.log"
scripts/kernels.sh ready "$kunit_kernel" && run=$run-warm || run=$run-cold
kernels=
case "$all $rings " in
--all*" guest "*) kernels="debug kcsan" ;;
*" kunit "*) kernels=$kunit_kernel ;;
esac
if [ -n "$kernels" ]; then
	# shellcheck disable=SC2086 # a list of words
	aside build_kernels $kernels
fi
scripts/setup.sh "${all:+all}${quick:+check}"
progress "this machine has what is needed$(left)"

aside tick
case " $rings " in
*" guest "* | *" static "*) build_modules ;;
esac
chains=()
# The kernel and then KUnit come first: KUnit is one processor's work, and beside it there
# must be something left to do for the other one. Guests give way to them, but not much: they
# have clocks. Unit tests give way to both, and static checks have what all others leave;
# with --all these are one processor's work for a quarter of an hour, and not kept for the end.
for chain in static unit packages kunit; do
	aside ring_if_asked "$chain"
	chains+=($!)
done
# Beside compilers guests are slow, and if the kernels came in what time the rings
# leave, the last guests would be alone on two processors.
case "$all $kernels" in
"--all "?*) wait "${jobs_aside[0]}" || : ;;
esac
aside ring_if_asked guest
chains+=($!)
for chain in "${chains[@]}"; do
	wait "$chain" || :
done
sample

progress "done; logs are in ${logs#"$top"/}"
passed=0
failed=0
for name; do
	[ -s "$logs/$name.result" ] || echo "0 1 0 0" >"$logs/$name.result"
	read -r good bad seconds cost <"$logs/$name.result"
	printf '%-42s %4d passed %4d failed %5d s, %5d s of a processor\n' \
		"${titles[$name]}" "$good" "$bad" "$seconds" "$cost"
	passed=$((passed + good))
	failed=$((failed + bad))
done
# The kernel debug counts what is executed.
[ ! -d build/coverage ] || scripts/coverage.py build/coverage || :
if [ -n "$complete" ] && [ "$failed" -eq 0 ]; then
	mkdir -p "$cache/times"
	cp "$logs/times" "$cache/times/$run"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
