#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the driver as a part of a kernel tree whose longs have 32 bits, put there as
# its page upstream.rst says, and configures its suites as kunit.py does.
#
# usage: in-tree.sh
#
# What patches.sh builds is a part of a tree as well, with longs of 64 bits.
set -eu
. "$(dirname "$0")/lib.sh"

sources=$("$top/scripts/kernels.sh" source)
tree=$top/build/in-tree
linux=$tree/linux
out=$tree/out

# A line more in a file that is a link to the original.
append()
{
	cp --remove-destination "$sources/$1" "$linux/$1"
	echo "$2" >>"$linux/$1"
}

build()
{
	make -s -C "$linux" O="$out" ARCH=i386 -j"$(nproc)" "$@" </dev/null
}

# Kconfig takes the driver as it is wished for, and it builds without a warning.
build_driver()
{
	KCONFIG_ALLCONFIG=$tree/wish build allnoconfig || return
	grep -c '^CONFIG_PCOUNTER.*=y' "$out/.config" | grep -qx 3 || return
	build KCFLAGS=-Werror drivers/gpu/pcounter/ || return
	[ -s "$out/drivers/gpu/pcounter/built-in.a" ]
}

# A kernel of 32 bits has no function to divide 64 bits by 64: div64_u64() is for that.
no_division()
{
	! nm "$out"/drivers/gpu/pcounter/*.o "$out"/drivers/gpu/pcounter/*/*.o |
		grep -E '__u?(div|mod)di3'
}

build_all()
{
	cp -rs "$sources" "$linux" || return
	(cd "$top" && find drivers/gpu/pcounter include/uapi/linux \
		\( -name '*.[ch]' -o -name Kconfig -o -name Makefile \
		-o -name .kunitconfig \) ! -name '*.mod.c' \
		-exec cp --parents {} "$linux" \;) || return
	append drivers/Kconfig 'source "drivers/gpu/pcounter/Kconfig"'
	# shellcheck disable=SC2016 # for make to expand
	append drivers/gpu/Makefile 'obj-$(CONFIG_PCOUNTER) += pcounter/'
	{
		cat "$top/tools/testing/guest/kernels/guest.config"
		echo CONFIG_PCOUNTER=y
		echo CONFIG_PCOUNTER_SIM=y
		echo CONFIG_PCOUNTER_KUNIT_TEST=y
	} >"$tree/wish"
	build_driver || return
	no_division || return
	# kunit.py goes to the tree that its own file is in, a link or not
	cp -r --remove-destination "$sources/tools/testing/kunit" "$linux/tools/testing" || return
	"$linux/tools/testing/kunit/kunit.py" config --arch=x86_64 \
		--kunitconfig=drivers/gpu/pcounter --build_dir="$tree/kunit"
}

rm -rf "$tree"
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1
quietly "$top/build/in-tree.log" build_all
rm -rf "$tree"
