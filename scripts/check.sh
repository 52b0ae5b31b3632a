#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every test there is; the last line is "N passed, N failed".
#
# usage: check.sh [static|unit|kunit|guest]...
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$top"
logs=$top/build/check
mkdir -p "$logs"
passed=0
failed=0
summary=()

progress()
{
	printf '== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# ring NAME TITLE COMMAND...: runs one ring and takes its TAP into account.
ring()
{
	local name=$1 title=$2 log=$logs/$1.tap status=0 tally begin=$SECONDS
	shift 2

	progress "$title"
	"$@" </dev/null 2> >(tee "$logs/$name.log" >&2) | tee "$log" || status=$?

	tally=$(scripts/tap.py "$log")
	# shellcheck disable=SC2086 # two numbers
	set -- $tally
	if [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; then
		echo "# $title ended with status $status although no case failed"
		set -- "$1" 1
	fi
	passed=$((passed + $1))
	failed=$((failed + $2))
	summary+=("$(printf '%-42s %4d passed %4d failed %5d s' "$title" "$1" "$2" \
		$((SECONDS - begin)))")
}

[ $# -gt 0 ] || set -- static unit kunit guest
for name; do
	case $name in
	static | unit | kunit | guest) ;;
	*) die "usage: check.sh [static|unit|kunit|guest]..." ;;
	esac
done

progress "what this machine lacks"
scripts/setup.sh check

# Kernels with checkers take minutes to build: in what time the other rings leave.
case " $* " in
*guest*)
	scripts/kernels.sh source >"$logs/source.log"
	for line in debug kcsan; do
		nice -n 19 scripts/kernels.sh image "$line" || :
	done >"$logs/kernels.log" 2>&1 &
	;;
esac

for name; do
	case $name in
	static)	ring static "static checks" scripts/static.sh ;;
	unit)	ring unit "ring 1: user space, sanitizers" make -s -j"$(nproc)" -C tools/testing/unit check ;;
	kunit)	ring kunit "ring 2: KUnit under KASAN and lockdep" scripts/kunit.sh ;;
	guest)	ring guest "ring 3: guests with a virtual GPU" tools/testing/guest/run-tests ;;
	esac
done

progress "done; logs are in $logs"
printf '%s\n' "${summary[@]}"
case " $* " in
*guest* | *kunit*) scripts/coverage.py build/coverage ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
