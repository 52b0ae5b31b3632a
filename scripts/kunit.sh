#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ring 2: the KUnit suites, in a kernel full of checkers, under QEMU.
#
# usage: kunit.sh [--kernel kunit|debug] [GLOB]
#
# Runs the suites (those that match), prints KTAP. The kernel kunit is built in a
# few minutes; debug has more checkers, and guests need it as well.
set -eu
. "$(dirname "$0")/lib.sh"

tap=$top/build/kunit.tap
mkdir -p "$top/build"
status=0
"$top/tools/testing/guest/run-kunit" "$@" >"$tap" || status=$?
# the kernel's own tool has a word in it: it sees what is missing, too
"$("$top/scripts/kernels.sh" source)/tools/testing/kunit/kunit.py" parse "$tap" >"$top/build/kunit.parsed" || {
	cat "$top/build/kunit.parsed" >&2
	status=1
}
cat "$tap"
tally=$("$top/scripts/tap.py" "$tap")
[ "$status" -eq 0 ] && [ "${tally#* }" = 0 ]
