# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Shared by the scripts beside it: sourced, not run.

# shellcheck disable=SC2034 # for those who source this
top=$(cd "$(dirname "$0")/.." && pwd)
# Everything expensive to make again: kernels, unpacked packages, ccache.
# shellcheck disable=SC2034
cache=${PCOUNTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pcounter}
# What compilers make is kept, wherever the sources are and in whatever language they
# warn: Debian's ccache has links to itself in a folder, by the names of compilers. Where
# a compiler says what it has included nothing is preprocessed first, which takes a third
# of the time to compile.
export PATH="/usr/lib/ccache:$PATH" CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=3G
export CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale CCACHE_DEPEND=1

# How modules are built for tests: no debugger looks at them, and a guest loads a tenth as
# much. What pahole makes for BPF needs debugging information.
# shellcheck disable=SC2034
module_flags=-g0
# shellcheck disable=SC2034
module_config="CONFIG_DEBUG_INFO_BTF_MODULES="

say()
{
	echo "$(basename "$0"): $*" >&2
}

die()
{
	say "$@"
	exit 1
}

# Runs a command; its output goes to a log and is shown only if it fails.
quietly()
{
	log=$1
	shift
	mkdir -p "$(dirname "$log")"
	still_alive &
	alive=$!
	status=0
	"$@" >"$log" 2>&1 || status=$?
	kill "$alive"
	[ "$status" -eq 0 ] && return
	tail -n 30 "$log" >&2
	die "failed ($status): $*; the whole log is $log"
}

# The sleeping child outlives its parent: it must not keep a pipe or lock open.
still_alive()
{
	minutes=0
	while sleep 60 >/dev/null 2>&1 9>&-; do
		minutes=$((minutes + 1))
		say "still busy after $minutes min"
	done
}

# index_modules ROOT RELEASE: without the largest part, which is nothing for a guest with
# a virtual GPU. depmod reads each of them.
index_modules()
{
	(cd "$1/lib/modules/$2/kernel" && rm -rf drivers/gpu drivers/media drivers/net sound)
	/sbin/depmod -b "$1" "$2"
}

# Version of an installed package, nothing if it is not.
installed_version()
{
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		sed -n 's/^installed //p'
}

# make takes a space for the end of a name.
case $top$cache in
*[[:space:]]*)	die "a path with a space in it: \"$top\" or \"$cache\"; move it" ;;
esac
