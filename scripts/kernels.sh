#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernels of Debian, to build against and for guests.
#
# usage: kernels.sh headers LINE	print the directory to build against
#        kernels.sh image LINE		print a directory with boot/vmlinuz-VERSION
#					and lib/modules/VERSION
#        kernels.sh source		print a directory with the sources of SOURCE_LINE:
#					6.12 (default), 6.1 or newest
#        kernels.sh ready LINE		exit 0 if it exists, or builds without minutes of waiting
#
# A LINE is 6.1, 6.12 or newest (that of Debian's unstable suite, scripts/system.sh), or
# debug, kcsan or kunit for a kernel of 6.12 with checkers (scripts/debug-kernel.sh);
# debug-6.1 and debug-newest are the same from other sources, which no check builds.
#
# Headers and image of one package version are unpacked aside. Installing them would
# change the next boot of this machine: the headers of 6.12 depend on its image.
set -eu
. "$(dirname "$0")/lib.sh"

# Print the kernel that the package lists offer for a line: "RELEASE VERSION".
offered()
{
	# a release has its own kernel, and may have a newer one
	apt-cache show --no-all-versions linux-image-amd64 "linux-image-$1-amd64" 2>/dev/null |
		sed -n "s/^Depends: linux-image-\($1\.[^ ]*\) (= \(.*\))$/\1 \2/p"
}

# depended PACKAGE=VERSION PATTERN: print the dependency that matches
depended()
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | grep -o "$2" | head -n 1
}

unpack_kernel()
{
	headers=linux-headers-$release=$version
	common=$(depended "$headers" 'linux-headers-[^ ,]*-common')
	kbuild=$(depended "$headers" 'linux-kbuild-[^ ,]*')
	# a newer version of the kernel may have replaced kbuild alone
	(cd "$1" && apt-get -q download "linux-image-$release=$version" "$headers" \
		"$common=$version" "$kbuild") || return
	for package in "$1"/*.deb; do
		dpkg-deb -x "$package" "$1" || return
		rm "$package"
	done
	# since Debian 13
	[ -e "$1/lib" ] || ln -s usr/lib "$1/lib"
	index_modules "$1" "$release"
	# This is the one absolute path in the headers.
	echo "include $dir/usr/src/$common/Makefile" >"$1/usr/src/linux-headers-$release/Makefile"
}

# Set release and dir to the kernel of a line, unpacked. Package lists may be old: they
# name versions that the archive has dropped, or do not know the line.
find_kernel()
{
	for attempt in first last; do
		[ $attempt = first ] || "$top/scripts/setup.sh" lists
		# shellcheck disable=SC2046 # two words
		set -- "$1" $(offered "$1")
		release=${2-} version=${3-}
		dir=$cache/kernel/${release}_$(printf %s "$version" | tr '~:' '--')
		[ $# -lt 3 ] || ! (make_once "$dir" unpack_kernel) || return 0
		set -- "$1"
	done
	die "this machine's package sources have no linux $1; those of Debian 12 have" \
		"6.1 and 6.12, those of Debian 13 have 6.12"
}

# unpack_source PACKAGE VERSION DIR: leave out files for other machines, and drivers that
# no kernel here has.
unpack_source()
{
	archive=/usr/src/$1.tar.xz
	case ${SOURCE_LINE-} in
	newest)	extract unstable linux-source "$3" || return ;;
	6.1)	(cd "$3" && apt-get -q download "$1=$2" && dpkg-deb -x ./*.deb .) || return ;;
	esac
	for archive in "$3/usr/src/"linux-source-*.tar.xz "$archive"; do
		[ ! -e "$archive" ] || break
	done
	tar -C "$3" --strip-components=1 --exclude='*/arch/[!x]*/*.[chS]' \
		--exclude='*/arch/[!x]*/*.dts*' --exclude='*/Documentation/*/*' \
		--exclude='*/tools/testing/selftests/*' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/net/*/*.[ch]' \
		--exclude='*/drivers/media/*.[ch]' --exclude='*/sound/*.[ch]' \
		-xf "$archive" || return
	case ${SOURCE_LINE-} in
	# kernels with checkers ask for it; by now DMA_API_DEBUG includes it
	newest)	printf 'config DMA_API_DEBUG_SG\n\tbool "part of DMA_API_DEBUG"\n' \
			>>"$3/lib/Kconfig.debug" ;;
	# it asks for INET, which 9P by virtio does without
	6.1)	sed -i 's/depends on INET && NET_9P$/depends on NET_9P/' "$3/fs/9p/Kconfig" ;;
	esac
	rm -rf "$3"/*.deb "$3"/usr/src
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
	dir=$("$top/scripts/system.sh" newest)
	echo "$dir"/usr/src/linux-headers-*-amd64
	;;
"image newest")
	exec "$top/scripts/system.sh" newest
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
	newest)	version=newest-$(date +%G-%V) ;;
	6.1)	version=$(apt-cache show --no-all-versions linux-source-6.1 | sed -n 's/^Version: //p') ;;
	*)	version=$(installed_version linux-source-6.12) ;;
	esac
	[ -n "$version" ] || die "no kernel sources: scripts/setup.sh check installs them"
	# extract() has a dir of its own
	sources=$cache/linux-source/$(printf %s "$version" | tr '~:' '--')
	make_once "$sources" unpack_source "linux-source-${SOURCE_LINE:-6.12}" "$version"
	echo "$sources"
	;;
*)
	die "usage: kernels.sh headers|image|ready LINE, kernels.sh source"
	;;
esac
