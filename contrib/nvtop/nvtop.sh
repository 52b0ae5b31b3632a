#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Build the nvtop of Debian 13 with GPUs of pcounter, and install it in /usr/local/bin, as
# root. Other vendors' sources would need their libraries.
set -eu

patch=$(cd "$(dirname "$0")" && pwd)/nvtop.patch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
apt-get -q --yes install build-essential cmake libdrm-dev libncurses-dev libsystemd-dev pkgconf
# the mirror of this system
mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list* | head -n 1)
[ -n "$mirror" ] || { echo "$0: apt's sources name no mirror of Debian" >&2; exit 1; }
echo "deb-src $mirror trixie main" >list
mkdir lists
set -- -q -o Dir::Etc::sourcelist="$work/list" -o Dir::Etc::sourceparts=/nowhere \
	-o Dir::State::lists="$work/lists"
apt-get "$@" update
apt-get "$@" source --tar-only nvtop
tar -xf nvtop_*.orig.tar.*
cd nvtop-*/
patch -p1 <"$patch"
set --
for vendor in NVIDIA AMDGPU INTEL MSM PANFROST PANTHOR V3D; do
	set -- "$@" "-D${vendor}_SUPPORT=OFF"
done
cmake -B build "$@"
make -C build
install build/src/nvtop /usr/local/bin
