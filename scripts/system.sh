#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make Debian systems in folders, and run commands in them.
#
# usage: system.sh make DIR PACKAGE...	unpack a clean Debian 12 with these packages into DIR
#        system.sh newest		print a folder with the newest kernel of Debian's
#					unstable suite, its headers, their compiler, and DKMS
#        system.sh run [--network] [--bind FOLDER] DIR COMMAND...
#					run a command in DIR; FOLDER is /mnt there
#
# A system is made once for a list of packages, and the newest one once a week.
set -eu
. "$(dirname "$0")/lib.sh"

# Print this machine's package sources of Debian 12, with security updates.
sources()
{
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | grep -E ' bookworm[^ ]* main$' | sort -u
}

# make_clean PACKAGES DIR: write an archive of a system into DIR. Guests bring their own
# initramfs and need few modules of a kernel; making an initramfs would take minutes.
make_clean()
{
	packages=$1 dir=$2
	set --
	for folder in drivers/gpu drivers/infiniband drivers/media drivers/net sound; do
		set -- "$@" --dpkgopt="path-exclude=*/lib/modules/*/kernel/$folder/*"
	done
	sources | INITRD=No SYSTEMD_OFFLINE=1 mmdebstrap --variant=buildd --quiet --include="$packages" "$@" \
		bookworm "$dir/root.tar" -
}

needed=bash,coreutils,diffutils,findutils,gawk,grep,make,sed

# make_newest DIR: with the programs that kbuild calls. The packages' scripts do not run,
# so this function makes their links.
# shellcheck disable=SC2016 # for mmdebstrap's shell
make_newest()
{
	extract unstable linux-image-amd64,linux-headers-amd64,dkms,openssl,$needed "$1" --setup-hook='cd "$1" && mkdir -p usr && for name in bin sbin lib lib64; do
			mkdir "usr/$name" && ln -s "usr/$name" "$name"; done' || return
	release=$(basename "$1"/usr/lib/modules/*)
	mkdir -p "$1/boot" "$1/tmp"
	ln -sf bash "$1/usr/bin/sh"
	ln -sf gawk "$1/usr/bin/awk"
	ln -s "../lib/modules/$release/vmlinuz" "$1/boot/vmlinuz-$release"
	index_modules "$1" "$release"
}

usage="usage: system.sh make DIR PACKAGE..., newest, run [--network] [--bind FOLDER] DIR COMMAND..."
command=${1-}
[ $# -eq 0 ] || shift
case $command:$# in
make:0 | make:1 | run:0 | run:1 | newest:[1-9]*)
	die "$usage"
	;;
make:*)
	root=$1
	shift
	packages=$(echo "$*" | tr -s ' ' ',')
	archive=$cache/system/bookworm-$({ echo "$packages"; cat "$0"; } | sha256sum | cut -c 1-12)
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
