#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A clean Debian 12 of one's own, in a folder.
#
# usage: system.sh make DIR PACKAGE...		unpack one into DIR, with these packages
#        system.sh run DIR COMMAND...		run a command in it, without network
#        system.sh run --network DIR COMMAND...
#
# What is made once is kept in the cache, one archive for each list of packages.
set -eu
. "$(dirname "$0")/lib.sh"

usage="usage: system.sh make DIR PACKAGE..., system.sh run [--network] DIR COMMAND..."

# From where this machine has its own packages, security updates among them.
sources()
{
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | grep -E ' bookworm[^ ]* main$' | sort -u
}

# Guests bring an initramfs of their own. Each that a kernel makes here, with one
# that a trigger makes again, takes minutes. Most of a kernel's modules are for no guest
# with a virtual GPU: depmod reads all there are, at every step.
make_archive()
{
	set -- --include="$1"
	for folder in drivers/gpu drivers/infiniband drivers/media drivers/net sound; do
		set -- "$@" --dpkgopt="path-exclude=*/lib/modules/*/kernel/$folder/*"
	done
	sources | INITRD=No mmdebstrap --variant=buildd --quiet "$@" bookworm \
		"$archive.part.tar" - || return
	mv "$archive.part.tar" "$archive"
}

run=${1-}
[ $# -ge 3 ] || die "$usage"
shift
case $run in
make)
	root=$1
	shift
	packages=$(echo "$*" | tr -s ' ' ',')
	key=$({ echo "$packages"; cat "$0"; } | sha256sum | cut -c 1-12)
	archive=$cache/system/bookworm-$key.tar
	mkdir -p "$root" "$cache/system"
	exec 9>"$archive.lock"
	flock 9
	if [ ! -s "$archive" ]; then
		say "making a clean system of Debian 12"
		quietly "$top/build/system.log" make_archive "$packages"
	fi
	# nobody but root may make devices: those of this machine are mounted
	tar -C "$root" --exclude='./dev/*' -xf "$archive"
	;;
run)
	network=-n
	if [ "$1" = --network ]; then
		network=
		shift
	fi
	root=$1
	shift
	as_user=
	[ "$(id -u)" -eq 0 ] || as_user=-r
	# mounts and processes end with the command
	# shellcheck disable=SC2016,SC2086 # for the inner shell; options or nothing
	unshare $as_user $network -m -p --fork sh -ec '
		root=$1
		shift
		mount --rbind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			HOME=/nonexistent INITRD=No DEBIAN_FRONTEND=noninteractive "$@"' sh "$root" "$@"
	;;
*)
	die "$usage"
	;;
esac
