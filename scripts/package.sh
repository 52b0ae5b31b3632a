#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make Debian packages from the tarball of scripts/dist.sh.
#
# usage: package.sh [ADDRESS]	install missing packages here, build ours in a clean
#				system, and check them with lintian; they are left in
#				build/packages
#        package.sh --source [ADDRESS]
#				only the source package, into build/packages-source
#
# The clean system has the build dependencies of the packages and no network. ADDRESS is
# the web address of the repository, which the packages name; default: git's "origin".
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/packages
source=
if [ "${1-}" = --source ]; then
	source=yes
	out=$out-source
	shift
fi
log=$out.log

# Print the web address of the repository without credentials, nothing if there is none.
repository()
{
	if [ $# -gt 0 ]; then
		echo "$1"
	elif [ -e "$top/.git" ]; then
		git -C "$top" remote get-url origin 2>/dev/null
	fi | sed -nE 's|^(https?://)([^/@]*@)?([A-Za-z0-9][A-Za-z0-9._~:/+-]*)$|\1\3|p'
}

# Write the address into the fields where users of packages look for it. debian/rules
# passes the first one on to the program.
name_repository()
{
	sed -i "/^Standards-Version:/a\\
Homepage: ${address%.git}\\
Vcs-Browser: ${address%.git}\\
Vcs-Git: $address" "$1/debian/control"
}

needed()
{
	tr '\n' ' ' <"$top/debian/control" |
		sed 's/.*Build-Depends: \(.*\) Standards-Version.*/\1/; s/Build-Depends-Indep:/,/
			s/([^)]*)//g; s/<[^>]*>//g; s/:any//g; s/debhelper-compat/debhelper/
			s/dh-sequence-dkms/dh-dkms/' | tr -s ' ,' '  '
}

# Build dependencies are checked where the packages are built, not here.
build_source()
{
	cd "$work/pcounter-$version" && dpkg-buildpackage --no-sign -S -nc -d
}

build_aside()
{
	mkdir "$work/root/build" || return
	mv "$work/pcounter-$version" "$work/root/build" || return
	"$top/scripts/system.sh" run "$work/root" \
		env DEB_BUILD_OPTIONS=noautodbgsym \
		sh -c "cd /build/pcounter-$version && dpkg-buildpackage --no-sign" || return
	find "$work/root/build" -maxdepth 1 -type f -exec mv -t "$work" {} +
}

[ $# -le 1 ] || die "usage: package.sh [--source] [ADDRESS]"
address=$(repository "$@")
[ -n "$address" ] || die "packages name the web address of their repository," \
	"and ${1:-the origin of git} is none: scripts/package.sh https://ADDRESS"
[ -n "$source" ] || "$top/scripts/setup.sh" package
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
tarball=$("$top/scripts/dist.sh")
work=$out-work
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$tarball"
name_repository "$work/pcounter-$version"
if [ -n "$source" ]; then
	quietly "$log" build_source
else
	# shellcheck disable=SC2046 # a list of words
	"$top/scripts/system.sh" make "$work/root" $(needed)
	quietly "$log" build_aside
fi
rm -rf "$out"
mkdir -p "$out"
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
lintian --allow-root --fail-on error,warning,info --display-info --pedantic "$out"/*.changes >&2
find "$out" -name '*.deb' | sort
