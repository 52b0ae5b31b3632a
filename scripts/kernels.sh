#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The distribution's kernels, to build against and for guests.
#
# usage: kernels.sh headers LINE	print the directory to build against
#        kernels.sh image LINE		print a directory with boot/vmlinuz-VERSION
#					and lib/modules/VERSION
#        kernels.sh source		print a directory with the 6.12 sources, or
#					with those of SOURCE_LINE (6.1, newest)
#        kernels.sh ready LINE		is it there without minutes of building?
#
# A LINE is 6.1, 6.12, newest for what unstable has (scripts/newest.sh), or debug,
# kcsan or kunit for a kernel with checkers (scripts/debug-kernel.sh), of 6.12;
# debug-6.1 and debug-newest are the same of other sources, which no check builds.
#
# Headers and image are unpacked aside, from one package version, so that what
# is built against the one loads in the other. Installing them would change
# what this machine boots next: the headers of 6.12 depend on its image.
set -eu
. "$(dirname "$0")/lib.sh"

# The kernel that the package lists offer for a line: "RELEASE VERSION".
offered()
{
	case $1 in
	6.1)	meta=linux-image-amd64 ;;
	*)	meta=linux-image-$1-amd64 ;;
	esac
	apt-cache show --no-all-versions "$meta" 2>/dev/null |
		sed -n "s/^Depends: linux-image-\($1\.[^ ]*\) (= \(.*\))$/\1 \2/p"
}

# depended PACKAGE=VERSION PATTERN: the package of that name that it depends on
depended()
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | grep -o "$2" | head -n 1
}

unpack_kernel()
{
	image=linux-image-$release=$version
	headers=linux-headers-$release=$version
	common=$(depended "$headers" 'linux-headers-[^ ,]*-common')
	kbuild=$(depended "$headers" 'linux-kbuild-[^ ,]*')
	say "downloading linux $release $version"
	(cd "$aside" && apt-get -q download "$image" "$headers" "$common=$version" \
		"$kbuild=$version") >"$aside/log" 2>&1 || return 1

	mkdir "$aside/root"
	for package in "$aside"/*.deb; do
		dpkg-deb -x "$package" "$aside/root"
	done
	index_modules "$aside/root" "$release"
	# The one absolute path of the headers.
	echo "include $dir/usr/src/$common/Makefile" \
		>"$aside/root/usr/src/linux-headers-$release/Makefile"
}

# Sets release and dir to the kernel of a line, unpacked.
find_kernel()
{
	for attempt in first last; do
		# shellcheck disable=SC2046 # two words
		set -- "$1" $(offered "$1")
		if [ $# -eq 3 ]; then
			release=$2 version=$3
			dir=$cache/kernel/${release}_$(printf %s "$version" | tr '~:' '--')
			[ ! -d "$dir" ] || return 0
			mkdir -p "$cache/kernel"
			aside=$(mktemp -d "$cache/kernel/tmp.XXXXXX")
			trap 'rm -rf "$aside"' EXIT
			if unpack_kernel; then
				settle
				return 0
			fi
			cat "$aside/log" >&2
			rm -rf "$aside"
		fi
		[ $attempt = last ] || "$top/scripts/setup.sh" lists
		set -- "$1"
	done
	die "this machine's package sources have no linux $1; Debian 12's do"
}

# Another run may have been faster; its result is the same.
settle()
{
	chmod 755 "$aside/root"
	mv -T "$aside/root" "$dir" 2>/dev/null || [ -d "$dir" ]
}

# find_source PACKAGE VERSION: the package is installed, or it is fetched
find_source()
{
	[ -n "$2" ] || die "no kernel sources: scripts/setup.sh check installs them"
	dir=$cache/linux-source/$(printf %s "$2" | tr "~:" "--")
	[ ! -d "$dir" ] || return 0

	mkdir -p "$cache/linux-source"
	aside=$(mktemp -d "$cache/linux-source/tmp.XXXXXX")
	trap 'rm -rf "$aside"' EXIT
	say "unpacking $1 $2"
	mkdir "$aside/root"
	archive=/usr/src/$1.tar.xz
	if [ ! -e "$archive" ]; then
		(cd "$aside" && apt-get -q download "$1=$2") >&2
		dpkg-deb --fsys-tarfile "$aside"/*.deb | tar -C "$aside" -xf - ".$archive"
		archive=$aside$archive
	fi
	# Half of it is for other machines, or of drivers that no kernel here has.
	tar -C "$aside/root" --strip-components=1 --exclude='*/arch/[!x]*/*.[chS]' \
		--exclude='*/arch/[!x]*/*.dts*' --exclude='*/Documentation/*/*' \
		--exclude='*/tools/testing/selftests/*' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/net/*/*.[ch]' \
		--exclude='*/drivers/media/*.[ch]' --exclude='*/sound/*.[ch]' \
		-xf "$archive"
	# 6.1 asks for INET, which 9P by virtio does without
	sed -i 's/depends on INET && NET_9P$/depends on NET_9P/' "$aside/root/fs/9p/Kconfig"
	settle
}

case "$*" in
"headers 6.1" | "headers 6.12")
	find_kernel "$2"
	echo "$dir/usr/src/linux-headers-$release"
	;;
"image 6.1" | "image 6.12")
	find_kernel "$2"
	echo "$dir"
	;;
"headers newest")
	dir=$("$top/scripts/newest.sh")
	echo "$dir"/usr/src/linux-headers-*-amd64
	;;
"image newest")
	exec "$top/scripts/newest.sh"
	;;
*" debug-6.1" | *" debug-newest")
	SOURCE_LINE=${2#debug-} exec "$0" "$1" debug
	;;
"headers debug" | "headers kcsan" | "headers kunit")
	exec "$top/scripts/debug-kernel.sh" "$2"
	;;
"image debug" | "image kcsan" | "image kunit")
	dir=$("$top/scripts/debug-kernel.sh" "$2")
	echo "$dir/image"
	;;
"ready debug" | "ready kcsan" | "ready kunit")
	exec "$top/scripts/debug-kernel.sh" ready "$2"
	;;
"ready "*)
	;;
source)
	case ${SOURCE_LINE-} in
	newest)	exec "$top/scripts/newest.sh" source ;;
	6.1)	find_source linux-source-6.1 "$(apt-cache show --no-all-versions linux-source-6.1 |
			sed -n 's/^Version: //p')" ;;
	*)	find_source linux-source-6.12 "$(installed_version linux-source-6.12)" ;;
	esac
	echo "$dir"
	;;
*)
	die "usage: kernels.sh headers|image|ready LINE, kernels.sh source"
	;;
esac
