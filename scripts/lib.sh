# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions for the scripts beside it.

# shellcheck disable=SC2034 # for scripts that source this
top=$(cd "$(dirname "$0")/.." && pwd)
# The cache has kernels, unpacked packages and objects of ccache.
# shellcheck disable=SC2034
cache=${PCOUNTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pcounter}
# ccache keeps objects, wherever the sources are and in whichever language compilers warn.
# Debian has links to it in a folder, by the names of compilers. CCACHE_DEPEND saves the
# preprocessor's run, a third of the time to compile.
export PATH="/usr/lib/ccache:$PATH" CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=3G
export CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale CCACHE_DEPEND=1

# Modules for tests have no debugging information, so a guest loads a tenth as much. pahole
# would need it to make BTF.
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

# quietly LOG COMMAND...: run a command, show its output only if it fails.
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

# The sleeping child outlives its parent, so it must not keep a pipe or lock open.
still_alive()
{
	minutes=0
	while sleep 60 >/dev/null 2>&1 9>&-; do
		minutes=$((minutes + 1))
		say "still busy after $minutes min"
	done
}

# make_once NAME COMMAND...: let COMMAND fill an empty folder and keep it under this name,
# unless it is there. Other runs wait for it.
make_once()
{
	once=$1
	shift
	mkdir -p "$(dirname "$once")"
	exec 8>"$once.lock"
	flock 8
	if [ ! -e "$once" ]; then
		say "making ${once#"$cache"/}"
		aside=$(mktemp -d "$once.XXXXXX")
		trap 'rm -rf "$aside"' EXIT
		quietly "$once.log" "$@" "$aside" 8>&-
		chmod 755 "$aside"
		mv -T "$aside" "$once"
		trap - EXIT
	fi
	exec 8>&-
}

# extract SUITE PACKAGES DIR [OPTION...]: unpack packages of a suite of Debian and their
# dependencies, from this machine's mirror. Nothing is installed.
extract()
{
	suite=$1 packages=$2 dir=$3
	shift 3
	# shellcheck disable=SC2016 # apt expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Label: Debian' | sort -u | head -n 1)
	mmdebstrap --variant=extract --quiet --aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--include="$packages" "$@" "$suite" "$dir.tar" "$mirror" || return
	tar -C "$dir" --exclude='./dev/*' -xf "$dir.tar" || return
	rm "$dir.tar"
}

# index_modules ROOT RELEASE: remove modules that no guest needs, which are most, and index
# the others: depmod reads each of them.
index_modules()
{
	(cd "$1/lib/modules/$2/kernel" && rm -rf drivers/gpu drivers/media drivers/net sound)
	/sbin/depmod -b "$1" "$2"
}

# Print the release of Debian that this machine has, nothing if it is another system.
debian_release()
{
	(
		ID='' VERSION_ID=''
		# shellcheck disable=SC1090 # a file of the system
		. "${PCOUNTER_OS_RELEASE:-/etc/os-release}"
		[ "$ID" != debian ] || echo "$VERSION_ID"
	) 2>/dev/null || :
}

# Print the name of a release.
suite_of()
{
	case $1 in
	12)	echo bookworm ;;
	13)	echo trixie ;;
	*)	die "supported are Debian 12 and 13" ;;
	esac
}

# package_sources SUITE: print this machine's package sources, with security updates, for
# another release.
package_sources()
{
	own=$(suite_of "$(debian_release)")
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' |
		sed -nE "s/ $own([^ ]* main)\$/ $1\1/p" | sort -u
}

# Print the version of a package if it is installed.
installed_version()
{
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		sed -n 's/^installed //p'
}

# For make a space ends a name.
case $top$cache in
*[[:space:]]*)	die "a path with a space in it: \"$top\" or \"$cache\"; move it" ;;
esac
