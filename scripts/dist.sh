#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A tarball of the sources, with the pages that are generated from them: the same
# bytes wherever and whenever it is made from the same sources.
#
# usage: dist.sh		write build/dist/pcounter-VERSION.tar.gz, print its name
#        dist.sh --check	make it twice, under different conditions, and compare
set -eu
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
name=pcounter-$version
# What the tarball holds: git knows, or the tarball that this was unpacked from.
list=MANIFEST

list_files()
{
	if [ -e .git ]; then
		git ls-files --cached --others --exclude-standard
	elif [ -e $list ]; then
		cat $list
	else
		die "neither git nor $list says what belongs to the sources"
	fi | LC_ALL=C sort
}

# Seconds since 1970 of all files in it.
moment()
{
	if [ -n "${SOURCE_DATE_EPOCH-}" ]; then
		echo "$SOURCE_DATE_EPOCH"
	elif [ -e .git ]; then
		git log -1 --format=%ct
	else
		stat -c %Y $list
	fi
}

# Pages and completion, from the sources that are in the tarball: the program is
# built for no more than to write them.
generate()
{
	# Python's compiled files hold times and paths
	export PYTHONDONTWRITEBYTECODE=1
	make -s -C "$1" tools
	(cd "$1" && scripts/gen-signals.py --pages build/pages)
	mkdir "$1/generated"
	cp "$1"/build/tools/*.1 "$1"/build/tools/pcounter.bash "$1/build/tools/_pcounter" \
		"$1/build/pages/pcounter-signals.rst" "$1/generated"
	rm -rf "$1/build"
}

# pack DIR: the tarball's path
pack()
{
	aside=$(mktemp -d)
	trap 'rm -rf "$aside"' EXIT
	mkdir "$aside/$name"
	list_files >"$aside/list"
	while read -r file; do
		[ ! -e "$file" ] || cp -P --parents "$file" "$aside/$name"
	done <"$aside/list"
	cp "$aside/list" "$aside/$name/$list"
	generate "$aside/$name" >"$aside/log" 2>&1 || {
		cat "$aside/log" >&2
		die "the pages cannot be generated"
	}
	mkdir -p "$1"
	tar -C "$aside" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --mtime="@$(moment)" -cf - "$name" |
		gzip -9n >"$1/packed.$$"
	# others may be reading the one that is there, or packing another
	mv "$1/packed.$$" "$1/$name.tar.gz"
	rm -rf "$aside"
	trap - EXIT
	echo "$1/$name.tar.gz"
}

cd "$top"
case $* in
"")
	pack "$top/build/dist"
	;;
--check)
	check=$top/build/dist-check
	rm -rf "$check"
	pack "$check/one" >/dev/null
	# of the tarball itself, by somebody else, somewhere else; objects do not depend on that
	mkdir "$check/unpacked"
	tar -C "$check/unpacked" -xzf "$check/one/$name.tar.gz"
	(umask 077 && cd "$check/unpacked/$name" &&
		env -u PYTHONDONTWRITEBYTECODE TZ=Asia/Tokyo LC_ALL=C HOME="$check/home" \
			PCOUNTER_CACHE="$cache" scripts/dist.sh >/dev/null)
	[ ! -e "$check/home" ] || die "something is left in the home of its user"
	cmp "$check/one/$name.tar.gz" "$check/unpacked/$name/build/dist/$name.tar.gz" ||
		die "two tarballs of the same sources differ"
	rm -rf "$check"
	;;
*)
	die "usage: dist.sh [--check]"
	;;
esac
