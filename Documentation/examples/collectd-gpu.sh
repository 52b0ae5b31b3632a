#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# For the exec plugin of collectd: the share of time in which the GPU is busy. A GPU that
# is asleep has the value U, which is collectd's word for unknown.
seconds=${COLLECTD_INTERVAL%.*}
name=${COLLECTD_HOSTNAME:-localhost}/pcounter/percent-gpu_busy

pcounter stat -I "${seconds:-10}s" --line gpu_busy | while read -r percent _; do
	case $percent in
	[0-9]*)	;;
	*)	percent=U ;;
	esac
	echo "PUTVAL \"$name\" interval=${seconds:-10} N:$percent"
done
