#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Install the packages that a fresh Debian 12 or 13 lacks, by name.
#
# usage: setup.sh build|demo|tools|kernel|source|package|live|check|all|soak
#				install; source and package are for Debian packages, all is
#				for "make check-all"
#        setup.sh lists				only bring the package lists up to date
set -eu
. "$(dirname "$0")/lib.sh"

# The compiler is that of the release's kernels.
aside=
case $(debian_release):$(uname -m):${1-} in
12:x86_64:*) gcc="gcc-12" ;;
13:x86_64:all | 13:x86_64:soak) die "supported: make check-all on Debian 12, since Debian 13 has no Linux 6.1;" \
		"demo, packages and make check on Debian 12 and 13" ;;
# its QEMU is taken from Debian 12
13:x86_64:*) gcc="gcc-14" aside=mmdebstrap ;;
*)	gcc= ;;
esac

# Kernels and their headers are not installed: scripts/kernels.sh unpacks them aside.
# Their build files call the compiler and pahole.
build="build-essential $gcc kmod libelf-dev pahole python3"
demo="$build $aside busybox-static cpio linux-perf qemu-system-x86"
tools="build-essential help2man libcap-dev libdrm-dev libjansson-dev libkmod-dev
	libncurses-dev libpci-dev pkgconf python3"
kernel="$build bc bison cpio flex libelf-dev libssl-dev linux-source-6.12 perl xz-utils"
# Packages are built in a clean system, from a tarball that is made here.
source="$tools lintian"
package="$tools mmdebstrap"
live="$build $tools dosfstools fdisk grub-common grub-pc-bin mmdebstrap mtools ovmf
	squashfs-tools zbar-tools"
check="$demo $source $kernel ccache fish groff libcap2-bin libcmocka-dev mount procps
	python3-sphinx reuse shellcheck sparse zsh"
all="$check $package"
# compilers, libraries and an emulator for other machines
soak="$all clang-14 gcc-aarch64-linux-gnu gcc-i686-linux-gnu gcc-powerpc-linux-gnu
	gcc-s390x-linux-gnu libc6-dev-arm64-cross libc6-dev-i386-cross libc6-dev-powerpc-cross
	libc6-dev-s390x-cross musl-tools qemu-user"

case ${1-} in
build)	wanted=$build ;;
demo)	wanted=$demo ;;
tools)	wanted=$tools ;;
kernel)	wanted=$kernel ;;
source)	wanted=$source ;;
package) wanted=$package ;;
live)	wanted=$live ;;
check)	wanted=$check ;;
all)	wanted=$all ;;
soak)	wanted=$soak ;;
lists)	wanted= ;;
*)	die "usage: setup.sh build|demo|tools|kernel|source|package|live|check|all|soak|lists" ;;
esac

# shellcheck disable=SC2086 # a list of words
[ -n "$gcc" ] || die "supported: Debian 12 and 13 on amd64; this is another system;" \
	"install what corresponds to:" $wanted

missing=
for package in $wanted; do
	[ -n "$(installed_version "$package")" ] || missing="$missing $package"
done
[ -n "$missing" ] || [ "$1" = lists ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || die "not root and no sudo; as root: scripts/setup.sh $1"
	as_root=sudo
fi

apt()
{
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=300 -qq "$@" </dev/null
}

# shellcheck disable=SC2086 # a list of words
install_missing()
{
	apt -y --no-install-recommends install $missing >/dev/null
}

if [ "$1" = lists ]; then
	say "bringing the package lists up to date"
	apt update
	exit 0
fi

say "installing:$missing"
if ! install_missing; then
	# Old package lists lack packages, or name versions that the archive has dropped.
	say "that failed; once more with new package lists"
	apt update
	install_missing
fi
say "installed"
