#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make Debian systems in folders, and run commands in them.
#
# usage: system.sh make [--release N] DIR PACKAGE...
#					unpack a clean Debian N with these packages into DIR;
#					default: this machine's release
#        system.sh newest		print a folder with the newest kernel of Debian's
#					unstable suite, its headers, their compiler, and DKMS
#        system.sh compilers		print a folder with compilers of Debian 13, and the
#					libraries of the program
#        system.sh qemu			print the QEMU of Debian 12 for x86-64
#        system.sh run [--network] [--bind FOLDER] DIR COMMAND...
#					run a command in DIR; FOLDER is /mnt there
#
# A system is made once for a list of packages, and the newest one once a week.
set -eu
. "$(dirname "$0")/lib.sh"

# make_clean PACKAGES DIR: write an archive of a system into DIR. Guests bring their own
# initramfs and need few modules of a kernel; making an initramfs would take minutes.
make_clean()
{
	packages=$1 dir=$2
	set --
	for folder in drivers/gpu drivers/infiniband drivers/media drivers/net sound; do
		set -- "$@" --dpkgopt="path-exclude=*/lib/modules/*/kernel/$folder/*"
	done
	package_sources "$suite" | INITRD=No SYSTEMD_OFFLINE=1 mmdebstrap --variant=buildd --quiet --include="$packages" "$@" \
		"$suite" "$dir/root.tar" -
}

# extract_system SUITE PACKAGES DIR: with the programs that makefiles call. The packages'
# scripts do not run, so this function makes their links.
# shellcheck disable=SC2016 # for mmdebstrap's shell
extract_system()
{
	needed=bash,coreutils,diffutils,findutils,gawk,grep,make,sed
	extract "$1" "$2,$needed" "$3" --setup-hook='cd "$1" && mkdir -p usr && for name in bin sbin lib lib64; do
			mkdir "usr/$name" && ln -s "usr/$name" "$name"; done' || return
	mkdir -p "$3/tmp"
	ln -sf bash "$3/usr/bin/sh"
	ln -sf gawk "$3/usr/bin/awk"
}

# make_newest DIR
make_newest()
{
	extract_system unstable linux-image-amd64,linux-headers-amd64,dkms,openssl "$1" || return
	release=$(basename "$1"/usr/lib/modules/*)
	mkdir -p "$1/boot"
	ln -s "../lib/modules/$release/vmlinuz" "$1/boot/vmlinuz-$release"
	index_modules "$1" "$release"
}

# make_qemu DIR: with a script that runs it with its own libraries
make_qemu()
{
	extract bookworm qemu-system-x86 "$1" || return
	cat >"$1/qemu" <<-'END'
	#!/bin/sh
	here=$(dirname "$0")
	lib=lib/x86_64-linux-gnu
	QEMU_MODULE_DIR=$here/usr/$lib/qemu exec "$here/$lib/ld-linux-x86-64.so.2" \
		--library-path "$here/usr/$lib:$here/$lib" "$here/usr/bin/qemu-system-x86_64" \
		-L "$here/usr/share/seabios" -L "$here/usr/share/qemu" "$@"
	END
	chmod 755 "$1/qemu"
}

usage="usage: system.sh make [--release N] DIR PACKAGE..., newest, compilers, qemu,
	run [--network] [--bind FOLDER] DIR COMMAND..."
command=${1-}
[ $# -eq 0 ] || shift
release=
if [ "${1-}" = --release ]; then
	release=$2
	shift 2
fi
case $command:$# in
make:0 | make:1 | run:0 | run:1 | newest:[1-9]* | compilers:[1-9]* | qemu:[1-9]*)
	die "$usage"
	;;
make:*)
	suite=$(suite_of "${release:-$(debian_release)}")
	root=$1
	shift
	packages=$(echo "$*" | tr -s ' ' ',')
	archive=$cache/system/$suite-$({ echo "$packages"; cat "$0"; } | sha256sum | cut -c 1-12)
	make_once "$archive" make_clean "$packages"
	mkdir -p "$root"
	# only root may make devices: those of this machine are mounted
	tar -C "$root" --exclude='./dev/*' -xf "$archive/root.tar"
	;;
newest:0)
	newest=$cache/system/newest-$(date +%G-%V)
	if ! (make_once "$newest" make_newest); then
		newest=$(find "$cache/system" -maxdepth 1 -name 'newest-????-??' | sort | tail -n 1)
		[ -n "$newest" ] || die "there is no system of unstable"
		say "staying with ${newest##*/}"
	fi
	echo "$newest"
	;;
compilers:0)
	packages=gcc-13,gcc-14,clang-19,libc6-dev,pkgconf
	packages=$packages,libcap-dev,libdrm-dev,libjansson-dev,libkmod-dev
	packages=$packages,libncurses-dev,libpci-dev
	compilers=$cache/system/compilers-$(printf %s "$packages" | cksum | cut -d" " -f1)
	make_once "$compilers" extract_system trixie "$packages"
	echo "$compilers"
	;;
qemu:0)
	make_once "$cache/system/qemu" make_qemu
	echo "$cache/system/qemu/qemu"
	;;
run:*)
	network=-n folder=
	while :; do
		case $1 in
		--network) network= && shift ;;
		--bind)	folder=$2 && shift 2 ;;
		*)	break ;;
		esac
	done
	root=$1 as_user=
	shift
	[ "$(id -u)" -eq 0 ] || as_user=-r
	# mounts and processes end with the command
	# shellcheck disable=SC2016,SC2086 # for the inner shell; options or nothing
	unshare $as_user $network -m -p --fork sh -ec '
		root=$1 folder=$2
		shift 2
		mkdir -p "$root/dev" "$root/proc" "$root/mnt"
		mount --rbind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		[ -z "$folder" ] || mount --bind "$folder" "$root/mnt"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			HOME=/nonexistent INITRD=No DEBIAN_FRONTEND=noninteractive "$@"' \
		sh "$root" "$folder" "$@"
	;;
*)
	die "$usage"
	;;
esac
