#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make a tarball of the sources, with the files that are generated from them. The same
# sources give the same bytes, wherever and whenever it is made.
#
# usage: dist.sh		write build/dist/pcounter-VERSION.tar.gz, print its name
#        dist.sh --check	make it twice, under different conditions, and compare
set -eu
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
name=pcounter-$version
# The list of files is from git, or from the tarball from which this was unpacked.
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

# Print the time of all files in it, in seconds since 1970.
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

# Make tables and pages from the sources in the tarball. The program is built
# only to write its pages.
generate()
{
	# Python's compiled files hold times and paths
	export PYTHONDONTWRITEBYTECODE=1
	make -s -C "$1" tools
	(cd "$1" && scripts/gen-pages.py --signals build/pages)
	mkdir "$1/generated"
	cp "$1"/build/tools/*.1 "$1/build/pages/pcounter-signals.rst" "$1/generated"
	rm -rf "$1/build"
}

# pack DIR: write the tarball into DIR, print its path
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
	# another run may be reading or writing the tarball
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
	# from the tarball itself, by another user in another place
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
