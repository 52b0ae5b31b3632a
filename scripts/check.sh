#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tests; the last line is "N passed, N failed".
#
# usage: check.sh [--all] [static|unit|kunit|guest]...
#
# Without --all, what tells most in the time for which somebody waits; with it
# every test there is. Rings run side by side where that saves time. Shown is
# what is not good; everything is in build/check. VERBOSE=1 shows everything.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$top"
logs=$top/build/check
usage="usage: check.sh [--all] [static|unit|kunit|guest]..."
# Seconds between two looks at how far it is.
TICK=60

declare -A titles=(
	[static]="static checks"
	[unit]="ring 1: user space, sanitizers"
	[kunit]="ring 2: KUnit under KASAN and lockdep"
	[guest]="ring 3: guests with a virtual GPU"
)

# Where nothing is known of an earlier run: seconds at which rings began and ended,
# of two processors that are neither fast nor slow.
built_in()
{
	case $1 in
	check-cold)	echo "0 setup 40 kunit 40 static 170 unit 300 guest 640 done" ;;
	check-warm)	echo "0 setup 2 kunit 2 static 90 unit 150 guest 340 done" ;;
	check-all-cold)	echo "0 setup 40 kunit 40 static 240 unit 400 guest 2600 done" ;;
	*)		echo "0 setup 2 kunit 2 static 150 unit 220 guest 1700 done" ;;
	esac
}

run_ring()
{
	case $1 in
	static)	scripts/static.sh $all ;;
	unit)	make -s -j"$(nproc)" -C tools/testing/unit check ;;
	kunit)	scripts/kunit.sh --kernel "$kunit_kernel" ;;
	guest)	tools/testing/guest/run-tests ${quick:+--quick} ;;
	esac
}

# Lines of the form "SECONDS EVENT" of an earlier run like this one.
earlier()
{
	if [ -s "$cache/times/$run" ]; then
		cat "$cache/times/$run"
	else
		built_in "$run" | xargs -n 2
	fi
}

# When this run ends, and what is left at the next event, however late that comes:
# from where this run and the earlier one were at the same event. A machine that
# has been slower so far will be that for the rest.
estimate()
{
	earlier | awk -v event="$1" -v now="$SECONDS" '
		{ time[NR] = $1 }
		$2 == event { at = $1 }
		$2 == "done" { end = next_at = $1 }
		END {
			for (i in time)
				if (time[i] > at && time[i] < next_at)
					next_at = time[i]
			pace = at >= 60 ? now / at : 1
			print int(now + (end - at) * pace), int((end - next_at) * pace)
		}' >"$logs/end"
}

# Nothing is known of how long some of the rings take.
left()
{
	local end least seconds

	read -r end least <"$logs/end"
	seconds=$((end - SECONDS))
	[ "$seconds" -gt "$least" ] || seconds=$least
	if [ -z "$complete" ]; then
		echo
	elif [ "$seconds" -lt 60 ]; then
		echo ", less than a minute left"
	else
		echo ", about $(((seconds + 30) / 60)) min left"
	fi
}

progress()
{
	printf '== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# begin EVENT TEXT
begin()
{
	echo "$SECONDS $1" >>"$logs/times"
	estimate "$1"
	progress "$2$(left)"
}

# Every now and then, for the impatient.
tick()
{
	while sleep "$TICK"; do
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

# Runs one ring and takes its TAP into account.
ring()
{
	local name=$1 status=0 start=$SECONDS

	begin "$name" "${titles[$name]}"
	run_ring "$name" </dev/null 2> >(tee "$logs/$name.log" >&2) |
		tee "$logs/$name.tap" | show || status=$?
	# shellcheck disable=SC2046 # two numbers
	set -- $(scripts/tap.py "$logs/$name.tap")
	if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
		echo "# ${titles[$name]}: status $status although no case failed"
		set -- "$1" 1
	fi
	echo "$1 $2 $((SECONDS - start))" >"$logs/$name.result"
}

# Kernels take minutes to build: in what time the rings leave.
build_kernels()
{
	for line; do
		nice -n 19 scripts/kernels.sh image "$line" || :
	done >"$logs/kernels.log" 2>&1
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
	set -- static unit kunit guest
fi
for name; do
	[ -n "${titles[$name]-}" ] || die "$usage"
done

rm -rf "$logs" build/coverage
mkdir -p "$logs"
progress "what this machine lacks"
scripts/setup.sh check
scripts/kernels.sh source >"$logs/source.log"
scripts/kernels.sh ready "$kunit_kernel" && run=$run-warm || run=$run-cold
echo "0 setup" >"$logs/times"
estimate setup
progress "this machine has what is needed$(left)"

aside tick
case "$all $* " in
--all*" guest "*)	aside build_kernels debug kcsan ;;
esac
# One processor's work: beside the others if there are any.
kunit_job=
case " $* " in
" kunit ")	ring kunit ;;
*" kunit "*)	aside ring kunit; kunit_job=$! ;;
esac
for name; do
	[ "$name" = kunit ] || ring "$name"
done
[ -z "$kunit_job" ] || wait "$kunit_job" || :

progress "done; logs are in ${logs#"$top"/}"
passed=0
failed=0
for name; do
	[ -s "$logs/$name.result" ] || echo "0 1 0" >"$logs/$name.result"
	read -r good bad seconds <"$logs/$name.result"
	printf '%-42s %4d passed %4d failed %5d s\n' "${titles[$name]}" "$good" "$bad" "$seconds"
	passed=$((passed + good))
	failed=$((failed + bad))
done
case " $* " in
*" guest "* | *" kunit "*) scripts/coverage.py build/coverage || : ;;
esac
if [ -n "$complete" ] && [ "$failed" -eq 0 ]; then
	echo "$SECONDS done" >>"$logs/times"
	mkdir -p "$cache/times"
	cp "$logs/times" "$cache/times/$run"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
