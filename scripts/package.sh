#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make Debian packages from the tarball of scripts/dist.sh, in up to 8 minutes on two
# processors.
#
# usage: package.sh [--release N] [ADDRESS]
#				install missing packages here, build ours in a clean
#				Debian N, by default this machine's release, and check
#				them with lintian; they are left in build/packages, those
#				for a named release in build/packages-N
#        package.sh --source [ADDRESS]
#				only the source package, into build/packages-source
#
# The clean system has lintian, the build dependencies of the packages and no network.
# ADDRESS is the web address of the repository, which the packages name. By default it is
# git's "origin"; if that is a clone on this machine, the origin of that clone.
set -eu
. "$(dirname "$0")/lib.sh"

out=$top/build/packages
source=
release=
case ${1-} in
--source)
	source=source
	out=$out-source
	shift
	;;
--release)
	release=$2
	out=$out-$release
	shift 2
	;;
esac
log=$out.log

# origin FOLDER: print the origin of a clone, of the clone that this was cloned from, ...
origin()
{
	address=$(git -C "$1" remote get-url origin 2>/dev/null) || return 0
	case $address in
	/* | file:*) origin "${address#file://}" ;;
	*)	echo "$address" ;;
	esac
}

# Print the web address of the repository without credentials, nothing if there is none.
repository()
{
	if [ $# -gt 0 ]; then
		echo "$1"
	elif [ -e "$top/.git" ]; then
		origin "$top"
	fi | sed -nE 's|^(https?://)([^/@]*@)?([A-Za-z0-9][A-Za-z0-9._~:/+-]*)$|\1\3|p'
}

# Write the address into the fields where users of packages look for it. debian/rules
# passes the first one on to the program.
name_repository()
{
	[ -n "$address" ] || return 0
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
		sh -c "cd /build/pcounter-$version && dpkg-buildpackage --no-sign &&
			$(echo "$check" | tr '\n' ' ') /build/*.changes" || return
	find "$work/root/build" -maxdepth 1 -type f -exec mv -t "$work" {} +
}

[ $# -le 1 ] || die "usage: package.sh [--source|--release N] [ADDRESS]"
address=$(repository "$@")
[ -n "$address" ] || [ $# -eq 0 ] || die "'$1' is no web address: scripts/package.sh https://ADDRESS"
[ -n "$address" ] || say "the packages name no repository: git's origin has no web address." \
	"scripts/package.sh https://ADDRESS gives them one"
# Debian 12 and 13 have different versions of the policy. Machines without systemd start
# "pcounter top" themselves; the lintian of Debian 13 does not ask.
accepted="out-of-date-standards-version"
[ "${release:-$(debian_release)}" != 12 ] ||
	accepted=$accepted,package-supports-alternative-init-but-no-init.d-script
check="lintian --allow-root --fail-on error,warning,info --display-info --pedantic
	--suppress-tags $accepted"
"$top/scripts/setup.sh" "${source:-package}"
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
	$check "$work"/*.changes >&2
else
	# shellcheck disable=SC2046 # a list of words
	"$top/scripts/system.sh" make ${release:+--release "$release"} "$work/root" $(needed) lintian
	quietly "$log" build_aside
fi
rm -rf "$out"
mkdir -p "$out"
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
find "$out" -name '*.deb' | sort
