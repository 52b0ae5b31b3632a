#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Install modules and program from the tarball into a folder and remove them again. Check
# that a build without headers or libraries names the missing parts in a few lines.
#
# usage: check-install.sh
set -eu
. "$(dirname "$0")/lib.sh"

work=$top/build/check-install
kdir=$("$top/scripts/kernels.sh" headers 6.12)
release=$(cat "$kdir/include/config/kernel.release")
export CCACHE_BASEDIR="$work"

expected()
{
	cat <<-END
	lib/modules/$release/updates/pcounter/drivers/gpu/pcounter/pcounter.ko
	lib/modules/$release/updates/pcounter/drivers/gpu/pcounter/pcounter_lab.ko
	lib/modules/$release/updates/pcounter/tools/testing/pcounter/pcounter_sim.ko
	opt/p/bin/pcounter
	opt/p/bin/pcounter-rights
	opt/p/lib/systemd/system/pcounter-metrics.service
	opt/p/lib/udev/rules.d/60-pcounter.rules
	opt/p/share/bash-completion/completions/pcounter
	opt/p/share/fish/vendor_completions.d/pcounter.fish
	opt/p/share/man/man1/pcounter-rights.1
	opt/p/share/man/man1/pcounter.1
	opt/p/share/zsh/site-functions/_pcounter
	END
	sed -n 's/^verbs := //p' "$top/tools/pcounter/Makefile" | tr ' ' '\n' |
		sed 's|.*|opt/p/share/man/man1/pcounter-&.1|'
	printf '%s\n' "$top"/tools/perf/*.py | sed 's|.*/|opt/p/share/pcounter/|'
	printf '%s\n' "$top"/Documentation/examples/* "$top"/contrib/nvtop/* |
		sed 's|.*/|opt/p/share/doc/pcounter/examples/|'
}

# List the files below DESTDIR, without the indexes of modules.
there()
{
	(cd "$work/root" && find . -type f ! -name 'modules.*' | sed 's|^\./||; s|\.ko\.[xg]z$|.ko|' | LC_ALL=C sort)
}

install_here()
{
	make -s KDIR="$kdir" KCFLAGS="$module_flags" "$module_config" \
		DESTDIR="$work/root" prefix=/opt/p "$@"
}

# A page advises to give the program a capability, so it is built like Debian's programs.
check_hardening()
{
	readelf -hldW --dyn-syms "$work/root/opt/p/bin/pcounter" >"$work/elf"
	for sign in 'Type: *DYN' 'Flags:.* NOW.* PIE' GNU_RELRO __stack_chk_fail __snprintf_chk; do
		grep -q "$sign" "$work/elf" || die "the program is built without hardening: no $sign"
	done
}

# says PATTERN COMMAND...: check that the command fails with a few lines, one of which
# matches.
says()
{
	pattern=$1
	shift
	! "$@" >"$work/said" 2>&1 || die "this should fail: $*"
	if ! grep -q "$pattern" "$work/said" || [ "$(wc -l <"$work/said")" -gt 4 ]; then
		cat "$work/said" >&2
		die "not said in a few lines: $pattern"
	fi
}

rm -rf "$work"
mkdir -p "$work/root" "$work/with a space" "$work/none"
tarball=$("$top/scripts/dist.sh")
tar -C "$work" -xzf "$tarball"
cd "$work"/pcounter-*

cp Makefile "$work/with a space"
says 'A path with a space in it: ".*/with a space"' make -s -C "$work/with a space" tools
says 'or "/with a/space"' make -s KDIR="/with a/space" modules
says 'No kernel headers at /nowhere' make -s KDIR=/nowhere modules
says 'On Debian: apt-get install.* libjansson-dev' \
	env PKG_CONFIG_LIBDIR="$work/none" make -s --no-print-directory -C tools/pcounter
says 'On Debian: apt-get install pkgconf' \
	make -s --no-print-directory -C tools/pcounter PKG_CONFIG=no-pkg-config

install_here install >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	die "make install fails"
}
expected | LC_ALL=C sort >"$work/expected"
there | diff "$work/expected" - >&2 || die "make install installs something else"
check_hardening
install_here uninstall >>"$work/log" 2>&1
there | grep . >&2 && die "make uninstall leaves something behind"
rm -rf "$work"
