#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, from the tarball of scripts/dist.sh.
#
# usage: package.sh		build them in a clean system of their own, and look at
#				them with lintian; they are left in build/packages
#        package.sh --here	build them with what is installed here
#
# The clean system is Debian 12 with what the packages say they need. It is kept
# in the cache.
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/packages
log=$top/build/packages.log

needed()
{
	tr '\n' ' ' <"$top/debian/control" |
		sed 's/.*Build-Depends: \(.*\) Standards-Version.*/\1/; s/Build-Depends-Indep:/,/
			s/([^)]*)//g; s/<[^>]*>//g; s/:any//g; s/debhelper-compat/debhelper/
			s/dh-sequence-dkms/dh-dkms/' | tr -s ' ,' '  '
}

# From where this machine has its own packages.
make_system()
{
	# shellcheck disable=SC2016 # apt expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Label: Debian' 'Codename: bookworm' | sort -u | head -n 1)
	say "making a clean system of Debian 12"
	mkdir -p "$(dirname "$system")"
	# shellcheck disable=SC2046 # a list of words
	mmdebstrap --variant=buildd --quiet \
		--include="$(echo $(needed) | tr ' ' ',')" bookworm "$system.part.tar" "$mirror" || return
	mv "$system.part.tar" "$system"
}

build_here()
{
	cd "$work/pcounter-$version" && dpkg-buildpackage --no-sign -b "$@"
}

# A name space of its own: mounts and processes end with the command.
build_aside()
{
	mkdir "$work/root"
	tar -C "$work/root" --exclude='./dev/*' -xf "$system" || return
	mkdir -p "$work/root/build"
	mv "$work/pcounter-$version" "$work/root/build"
	# shellcheck disable=SC2016 # for the inner shell
	unshare ${as_user:+-r} -m -n -p --fork sh -ec '
		mount --rbind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/nonexistent \
			sh -c "cd /build/pcounter-$2 && dpkg-buildpackage --no-sign"
		' sh "$work/root" "$version" || return
	find "$work/root/build" -maxdepth 1 -type f -exec mv -t "$work" {} +
}

as_user=
[ "$(id -u)" -eq 0 ] || as_user=y
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
tarball=$("$top/scripts/dist.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$tarball"
case $* in
"")
	system=$cache/system/bookworm-$(needed | sha256sum | cut -c 1-12).tar
	[ -s "$system" ] || quietly "$log" make_system
	quietly "$log" build_aside
	;;
--here)
	quietly "$log" build_here
	;;
*)
	die "usage: package.sh [--here]"
	;;
esac
rm -rf "$out"
mkdir -p "$out"
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
lintian --allow-root --fail-on error,warning,info --display-info --pedantic "$out"/*.changes >&2
(cd "$out" && ls ./*.deb | sed "s|^\.|$out|")
