#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make one mistake for each checker of the whole project, in a copy of the sources. Each
# checker has to find its mistake.
#
# usage: check-checkers.sh
set -eu
. "$(dirname "$0")/lib.sh"

# Outside the sources, since reuse skips files that git ignores.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# Unpack the sources without a mistake.
fresh()
{
	rm -rf "$tree"
	mkdir -p "$tree"
	tar -C "$tree" --strip-components=1 -xzf "$tarball"
	cd "$tree"
}

# finds PATTERN COMMAND...: check that the command fails with a message that matches.
finds()
{
	pattern=$1
	shift
	! "$@" >"$work/said" 2>&1 || die "the mistake is not found: $*"
	grep -q "$pattern" "$work/said" || {
		tail -n 30 "$work/said" >&2
		die "it fails for another reason than \"$pattern\": $*"
	}
}

tarball=$("$top/scripts/dist.sh")
export PCOUNTER_CACHE="$cache"

fresh
echo "// SPDX-License-""Identifier: Apache-2.0" >include/mistake.h
finds 'Missing licenses: Apache-2.0' reuse lint

fresh
# shellcheck disable=SC2016 # reStructuredText
printf '\n:ref:`no-such-section`\n' >>Documentation/status.rst
finds 'undefined label' make -s html

fresh
# shellcheck disable=SC2016 # for dist.sh
sed -i 's|rm -rf "$1/build"|date +%N >"$1/generated/mistake"; &|' scripts/dist.sh
finds 'two tarballs of the same sources differ' scripts/dist.sh --check

fresh
sed -i 's|^Standards-Version: .*|Standards-Version: 3.9.0|' debian/control
finds 'out-of-date-standards-version' scripts/package.sh --source https://pcounter.invalid

fresh
finds 'debian/control has no Homepage' debian/rules build-arch
