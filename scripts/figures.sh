#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How large the project is: lines of code by part, as cloc counts them, without blank
# lines, comments and generated tables.
#
# usage: figures.sh
set -eu
. "$(dirname "$0")/lib.sh"

tables='rules/(signals|public|chip_table)\.c|gpu/texts\.c'

# count NAME PATTERN [EXCEPT]: the tracked files whose paths match
count()
{
	git -C "$top" ls-files | grep -E "$2" | grep -vE "$tables|${3:-^$}" >"$list"
	lines=$(cd "$top" && cloc --quiet --csv --list-file="$list" | awk -F, '$2 == "SUM" { print $5 }')
	printf '%-12s %6d lines in %3d files\n' "$1" "$lines" "$(wc -l <"$list")"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
driver=^drivers/gpu/pcounter/
apart='/(model|tests|experiment)/|/(sim|bench)\.[ch]$'
count driver "$driver.*\.[ch]$" "$apart"
count laboratory "$driver(experiment/.*|bench\.[ch]$)"
count model "${driver}model/.*\.[ch]$"
count KUnit "${driver}tests/.*\.[ch]$"
count program '^tools/pcounter/.*\.[ch]$'
count scripts '^scripts/[^/]*\.(sh|py)$'
count testing '^tools/testing/' '/traces/'
