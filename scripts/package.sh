#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, from the tarball of scripts/dist.sh.
#
# usage: package.sh		install what is missing here, build them in a clean system
#				of their own, and look at them with lintian; they are left
#				in build/packages
#        package.sh --source	only the source package, into build/packages-source
#
# The clean system has what the packages say they need, and no network.
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/packages${1+-source}
log=$out.log

needed()
{
	tr '\n' ' ' <"$top/debian/control" |
		sed 's/.*Build-Depends: \(.*\) Standards-Version.*/\1/; s/Build-Depends-Indep:/,/
			s/([^)]*)//g; s/<[^>]*>//g; s/:any//g; s/debhelper-compat/debhelper/
			s/dh-sequence-dkms/dh-dkms/' | tr -s ' ,' '  '
}

# What the sources need to be built is looked at where they are built.
build_source()
{
	cd "$work/pcounter-$version" && dpkg-buildpackage --no-sign -S -nc -d
}

build_aside()
{
	mkdir "$work/root/build" || return
	mv "$work/pcounter-$version" "$work/root/build" || return
	"$top/scripts/system.sh" run "$work/root" \
		sh -c "cd /build/pcounter-$version && dpkg-buildpackage --no-sign" || return
	find "$work/root/build" -maxdepth 1 -type f -exec mv -t "$work" {} +
}

[ $# -gt 0 ] || "$top/scripts/setup.sh" package
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
tarball=$("$top/scripts/dist.sh")
# a place of its own
work=$out-work
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$tarball"
case $* in
"")
	# shellcheck disable=SC2046 # a list of words
	"$top/scripts/system.sh" make "$work/root" $(needed)
	quietly "$log" build_aside
	;;
--source)
	quietly "$log" build_source
	;;
*)
	die "usage: package.sh [--source]"
	;;
esac
rm -rf "$out"
mkdir -p "$out"
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
lintian --allow-root --fail-on error,warning,info --display-info --pedantic "$out"/*.changes >&2
find "$out" -name '*.deb' | sort
