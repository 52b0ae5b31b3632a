#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run perf stat in a guest, on a virtual GPU whose signals are known. Installs missing
# packages by name.
#
# PCOUNTER_ACCEL=kvm|tcg decides how the guest runs; without it KVM is tried.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
guest=$top/tools/testing/guest
begin=$(date +%s)

step()
{
	printf '[%3d s] %s\n' $(($(date +%s) - begin)) "$*"
}

cd "$top"
step "installing what is missing"
scripts/setup.sh demo
step "fetching the guest's kernel (once)"
scripts/kernels.sh image 6.12 >/dev/null
step "building pcounter.ko for it"
scripts/build-modules.sh 6.12 >/dev/null
step "building the virtual GPU, booting a guest with a G84"
status=0
"$guest/run-guest" --kernel 6.12 --chip g84 --scenario "$guest/demo.scenario" \
	python3 "$guest/demo.py" "$guest/demo.scenario" || status=$?
step "done"
exit $status
