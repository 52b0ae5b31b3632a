#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The newest kernel that Debian's unstable suite offers, with the compiler that
# its headers ask for, unpacked aside into a small system of its own.
#
# usage: newest.sh			print its directory, as kernels.sh image does
#        newest.sh run ROOT DIR COMMAND...	run it in ROOT; DIR is /mnt there
#        newest.sh source		print the directory of its sources
#        newest.sh dkms ROOT		make a copy of it in ROOT, with DKMS
#
# Looked for anew once a week.
set -eu
. "$(dirname "$0")/lib.sh"

# Programs that kbuild calls and whoever has a shell has.
needed="bash coreutils diffutils findutils gawk grep make sed"
lists=$cache/kernel/newest-lists
current=$cache/kernel/newest

run_in()
{
	# the mounts end with the command
	# shellcheck disable=SC2016 # for the inner shell
	unshare ${as_user:+-r} -m sh -ec 'root=$1 dir=$2
		shift 2
		mount --bind "$dir" "$root/mnt"
		mount --rbind /dev "$root/dev"
		mount --rbind /proc "$root/proc"
		exec chroot "$root" "$@"' sh "$@"
}

# apt with package lists of its own, as if nothing were installed. A mirror that has
# not been brought up to date for weeks will do: nothing of it is installed.
aside_apt()
{
	command=$1
	shift
	"$command" -o Dir::Etc::sourcelist="$lists/sources" -o Dir::Etc::sourceparts=/nonexistent \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/nonexistent \
		-o Dir::State="$lists" -o Dir::State::lists="$lists/lists" \
		-o Dir::State::status="$lists/status" -o Dir::Cache="$lists/cache" \
		-o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root \
		-o APT::Install-Recommends=false "$@"
}

# From where this machine has its own packages.
update_lists()
{
	mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
	: >"$lists/status"
	# shellcheck disable=SC2016 # apt expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Label: Debian' | sort -u | head -n 1)
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [arch=amd64 signed-by=$keys] $mirror unstable main" >"$lists/sources"
	aside_apt apt-get -q update
}

# "PACKAGE=VERSION" of all that must be unpacked
closure()
{
	# shellcheck disable=SC2086 # a list of words
	aside_apt apt-get -s install "linux-headers-$release=$version" $needed |
		sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p'
	echo "linux-binary-$release=$version"
	echo "linux-modules-$release=$version"
}

unpack_all()
{
	mkdir -p "$aside/debs" "$aside/root/usr" "$aside/root/boot" "$aside/root/mnt" \
		"$aside/root/proc" "$aside/root/dev" "$aside/root/tmp"
	for name in bin sbin lib lib64; do
		mkdir "$aside/root/usr/$name"
		ln -s "usr/$name" "$aside/root/$name"
	done
	closure >"$aside/closure"
	# shellcheck disable=SC2046 # a list of words
	(cd "$aside/debs" && aside_apt apt-get -q download $(cat "$aside/closure")) || return
	for package in "$aside"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -C "$aside/root" --keep-directory-symlink -xf - || return
	done
	# What the packages' scripts would do.
	ln -sf bash "$aside/root/usr/bin/sh"
	ln -sf gawk "$aside/root/usr/bin/awk"
	ln -s "../lib/modules/$release/vmlinuz" "$aside/root/boot/vmlinuz-$release"
	index_modules "$aside/root" "$release"
}

find_newest()
{
	[ ! -e "$current/stamp" ] || [ -n "$(find "$current/stamp" -mtime +7)" ] || return 0
	mkdir -p "$cache/kernel"
	aside=$(mktemp -d "$cache/kernel/tmp.XXXXXX")
	trap 'rm -rf "$aside"' EXIT
	if ! update_lists >"$aside/log" 2>&1; then
		cat "$aside/log" >&2
		[ -e "$current/stamp" ] || die "the package lists of unstable cannot be had"
		say "staying with $(readlink "$current")"
		return 0
	fi
	# shellcheck disable=SC2046 # two words
	set -- $(aside_apt apt-cache show --no-all-versions linux-image-amd64 |
		sed -n 's/^Depends: .*linux-image-\([^ ]*-amd64\) (= \([^)]*\)).*/\1 \2/p')
	[ $# -eq 2 ] || die "unstable has no linux-image-amd64"
	release=$1 version=$2
	dir=$cache/kernel/${release}_$(printf %s "$version" | tr '~:' '--')
	if [ ! -d "$dir" ]; then
		say "downloading linux $release and its compiler"
		unpack_all >>"$aside/log" 2>&1 || {
			tail -n 30 "$aside/log" >&2
			die "linux $release cannot be had"
		}
		chmod 755 "$aside/root"
		mv -T "$aside/root" "$dir" 2>/dev/null || [ -d "$dir" ]
	fi
	touch "$dir/stamp"
	ln -sfn "$(basename "$dir")" "$current"
}

# names PACKAGE...: all that must be unpacked for them
names()
{
	aside_apt apt-get -s install "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | sort
}

# What DKMS needs besides: 20 MB to download.
find_dkms()
{
	name=$(basename "$(readlink -f "$current")")
	dkms=$cache/kernel/dkms/$name
	[ ! -d "$dkms" ] || return 0
	aside=$(mktemp -d "$cache/kernel/tmp.XXXXXX")
	trap 'rm -rf "$aside"' EXIT
	say "downloading DKMS for linux ${name%_*}"
	mkdir "$aside/debs"
	# shellcheck disable=SC2086 # a list of words
	{
		names "linux-headers-${name%_*}" $needed >"$aside/there"
		names "linux-headers-${name%_*}" $needed dkms openssl >"$aside/all"
	} 2>"$aside/log"
	# shellcheck disable=SC2046 # a list of words
	(cd "$aside/debs" && aside_apt apt-get -q download \
		$(comm -13 "$aside/there" "$aside/all")) >>"$aside/log" 2>&1 || {
		cat "$aside/log" >&2
		die "DKMS cannot be had"
	}
	ls "$aside"/debs/dkms_*.deb >/dev/null || die "unstable has no DKMS"
	# one kernel's are enough
	rm -rf "$cache/kernel/dkms"
	mkdir -p "$cache/kernel/dkms"
	mv -T "$aside/debs" "$dkms"
}

# The sources that its packages are made of: 160 MB to download, 2 GB here.
find_source()
{
	name=$(basename "$(readlink -f "$current")")
	source=$cache/kernel/source/$name
	[ ! -d "$source" ] || return 0
	package=linux-source-$(printf %s "$name" | cut -d . -f 1,2)
	aside=$(mktemp -d "$cache/kernel/tmp.XXXXXX")
	trap 'rm -rf "$aside"' EXIT
	say "downloading $package"
	(cd "$aside" && aside_apt apt-get -q download "$package") >"$aside/log" 2>&1 || {
		cat "$aside/log" >&2
		die "$package cannot be had"
	}
	dpkg-deb --fsys-tarfile "$aside/$package"_*.deb |
		tar -C "$aside" -xf - "./usr/src/$package.tar.xz"
	tar -C "$aside" -xJf "$aside/usr/src/$package.tar.xz"
	# one kernel's sources are enough
	rm -rf "$cache/kernel/source"
	mkdir -p "$cache/kernel/source"
	# kernels with checkers ask for it; by now DMA_API_DEBUG includes it
	printf 'config DMA_API_DEBUG_SG\n\tbool "part of DMA_API_DEBUG"\n' \
		>>"$aside/$package/lib/Kconfig.debug"
	mv -T "$aside/$package" "$source"
}

as_user=
[ "$(id -u)" -eq 0 ] || as_user=y
case ${1-} in
run)	shift
	run_in "$@"
	;;
"" | source | dkms)
	mkdir -p "$cache/kernel"
	exec 8>"$cache/kernel/newest.lock"
	flock 8
	find_newest
	case ${1-} in
	"")
		readlink -f "$current"
		;;
	source)
		find_source
		echo "$source"
		;;
	dkms)
		[ $# -eq 2 ] || die "usage: newest.sh dkms ROOT"
		find_dkms
		cp -a "$(readlink -f "$current")" "$2"
		for package in "$dkms"/*.deb; do
			dpkg-deb --fsys-tarfile "$package" |
				tar -C "$2" --keep-directory-symlink -xf -
		done
		;;
	esac
	;;
*)	die "usage: newest.sh [source | dkms ROOT | run ROOT DIR COMMAND...]"
	;;
esac
