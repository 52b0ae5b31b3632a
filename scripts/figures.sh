#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the lines of code of each part and of its folders, as cloc counts them: without
# blank lines and comments, of files that git tracks.
#
# usage: figures.sh
set -eu
. "$(dirname "$0")/lib.sh"

cd "$top"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
git ls-files drivers tools scripts | grep -E '\.([ch]|sh|py)$|^tools/testing' | grep -v /traces/ >"$list"
cloc --quiet --csv --by-file --list-file="$list" | awk -F, '
	function add(name) { lines[name] += $5; files[name]++ }
	function count(part, prefix) {
		add(part)
		rest = substr($2, length(prefix) + 1)
		if (sub("/.*", "", rest))
			add(part " " rest)
	}
	BEGIN { driver = "drivers/gpu/pcounter/" }
	!index($2, "/") { next }
	$2 ~ "^" driver "lab/" { count("laboratory", $2); next }
	$2 ~ "^tools/testing/pcounter/(model/|sim)" { count("model", $2); next }
	$2 ~ "^" driver "tests/" { count("KUnit", $2); next }
	index($2, driver) == 1 { count("driver", driver); next }
	/,tools\/pcounter\// { count("program", "tools/pcounter/"); next }
	/,tools\/testing\// { count("testing", "tools/testing/"); next }
	/,scripts\/[^\/]*,/ { count("scripts", $2) }
	END {
		for (name in lines) {
			part = name
			folder = sub(/ /, "   ", part)
			printf "%-22s %6d lines in %3d files\n", part, lines[name], files[name] | "sort"
		}
	}'
