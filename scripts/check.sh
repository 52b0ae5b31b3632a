#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run the tests; the last line is "N passed, N failed".
#
# usage: check.sh [--all] [static|unit|kunit|guest|packages]...
#
# Without --all these are the tests that find most in a few minutes, with it all of them.
# The rings run side by side. Failures are shown, with VERBOSE=1 everything; build/check
# keeps all output.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$top"
logs=$top/build/check

declare -A titles=(
	[static]="static checks"
	[unit]="ring 1: user space, sanitizers"
	[kunit]="ring 2: KUnit under KASAN and lockdep"
	[guest]="ring 3: guests with a virtual GPU"
	[packages]="packages: install, count, upgrade, purge"
)

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

progress()
{
	printf '== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

tick()
{
	while sleep 60; do
		progress "$(cat "$logs"/*.tap 2>/dev/null | grep -c '^ *ok ') tests passed"
	done
}

# Pass on failures, and the lines around them.
show()
{
	[ -z "${VERBOSE-}" ] || exec cat
	exec awk '
		/^ *(ok |1\.\.|K?TAP version)/ { kept = ""; open = 0; next }
		/^ *not ok / { printf "%s", kept; print; kept = ""; open = 1; fflush(); next }
		open { print; fflush(); next }
		{ kept = substr(kept $0 "\n", length(kept) > 4000 ? 1000 : 1) }'
}

# Add up the seconds of processors in what "times" printed about children.
processor_seconds()
{
	awk 'NR == 2 { split($1 "m" $2, part, /[ms]+/)
		print int(60 * (part[1] + part[3]) + part[2] + part[4]) }' "$1"
}

# Run a ring and write its result: passed, failed, seconds, those of the processors.
ring()
{
	local name=$1 status=0 start=$SECONDS

	progress "${titles[$name]}"
	run_ring "$name" </dev/null 2> >(tee "$logs/$name.log" >&2) |
		tee "$logs/$name.tap" | show || status=$?
	# shellcheck disable=SC2046 # two numbers
	set -- $(scripts/tap.py "$logs/$name.tap")
	if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
		echo "# ${titles[$name]}: status $status although no case failed"
		set -- "$1" 1
	fi
	times >"$logs/$name.times"
	echo "$1 $2 $((SECONDS - start)) $(processor_seconds "$logs/$name.times")" >"$logs/$name.result"
}

ring_if_asked()
{
	[[ " $rings " != *" $1 "* ]] || ring "$1"
}

build_kernels()
{
	progress "kernels with checkers: $*"
	for line; do
		scripts/kernels.sh image "$line" || :
	done >"$logs/kernels.log" 2>&1
}

# A job beside the rest, in a process group of its own, which ends with this script.
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
kunit_kernel=kunit
if [ "${1-}" = --all ]; then
	shift
	all=--all
	quick=
	# guests need it as well: one kernel less to build
	kunit_kernel=debug
fi
# shellcheck disable=SC2086 # one word or none
[ $# -gt 0 ] || set -- static unit kunit guest ${all:+packages}
for name; do
	[ -n "${titles[$name]-}" ] || die "usage: check.sh [--all] [static|unit|kunit|guest|packages]..."
done

rings=$*
[ -z "$all" ] || [ "$(debian_release)" = 12 ] || exec scripts/setup.sh all
rm -rf "$logs" build/coverage
mkdir -p "$logs"
aside tick
progress "what this machine lacks"
scripts/setup.sh kernel
scripts/kernels.sh source >"$logs/source.log"
# The kernels are built while the other packages are installed.
case "$all $rings " in
--all*" guest "*) aside build_kernels debug ;;
*" kunit "*) aside build_kernels $kunit_kernel ;;
esac
kernels=${jobs_aside[1]-}
scripts/setup.sh "${all:+all}${quick:+check}"

case " $rings " in
*" guest "* | *" static "*) scripts/build-modules.sh 6.12 >"$logs/modules.log" 2>&1 || : ;;
esac
# KUnit keeps one processor busy. Guests give way to it a little, since they have clocks.
# Unit tests give way to both, and static checks to all.
chains=()
for chain in static unit packages kunit; do
	aside ring_if_asked "$chain"
	chains+=($!)
done
# Guests are slow beside compilers, and the last ones would have to wait for the kernels.
[ -z "$all" ] || [ -z "$kernels" ] || wait "$kernels" || :
aside ring_if_asked guest
wait "${chains[@]}" $! || :

progress "done; logs are in ${logs#"$top"/}"
passed=0
failed=0
for name; do
	[ -s "$logs/$name.result" ] || echo "0 1 0 0" >"$logs/$name.result"
	read -r good bad seconds busy <"$logs/$name.result"
	printf '%-42s %4d passed %4d failed %5d s %5d s of a processor\n' "${titles[$name]}" \
		"$good" "$bad" "$seconds" "$busy"
	passed=$((passed + good))
	failed=$((failed + bad))
done
# The kernel debug counts executed code.
[ ! -d build/coverage ] || scripts/coverage.py build/coverage || :
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
