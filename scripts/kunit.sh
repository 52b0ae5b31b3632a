#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ring 2: run the KUnit suites in a kernel with checkers, under QEMU.
#
# usage: kunit.sh [--kernel kunit|debug] [GLOB]
#
# Runs the suites that match and prints KTAP. The kernel kunit is built in a few
# minutes; debug has more checkers, and guests use it as well.
set -eu
. "$(dirname "$0")/lib.sh"

tap=$top/build/kunit.tap
mkdir -p "$top/build"
status=0
"$top/tools/testing/guest/run-kunit" "$@" >"$tap" || status=$?
# the kernel's own tool finds missing suites, too
"$("$top/scripts/kernels.sh" source)/tools/testing/kunit/kunit.py" parse "$tap" >"$top/build/kunit.parsed" || {
	cat "$top/build/kunit.parsed" >&2
	status=1
}
cat "$tap"
[ "$status" -eq 0 ] && "$top/scripts/tap.py" "$tap" | grep -q " 0$"
