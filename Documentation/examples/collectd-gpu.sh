#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# For the exec plugin of collectd: the share of time in which a GPU is busy. Of several GPUs
# each has its address in the name of the plugin. A GPU that is asleep has the value U, which
# is collectd's word for unknown.
seconds=${COLLECTD_INTERVAL%.*}
name=${COLLECTD_HOSTNAME:-localhost}/pcounter

pcounter stat -I "${seconds:-10}s" --line gpu_busy | sed -u 's/  /\n/g' |
while read -r gpu percent _; do
	case $gpu in
	*:*)	gpu=-$gpu ;;
	*)	percent=$gpu gpu= ;;
	esac
	case $percent in
	[0-9]*)	;;
	*)	percent=U ;;
	esac
	echo "PUTVAL \"$name$gpu/percent-gpu_busy\" interval=${seconds:-10} N:$percent"
done
