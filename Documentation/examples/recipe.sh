#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bring the share of time in which a GPU is busy to users and programs, as root.
#
# usage: recipe.sh users			every user can count
#        recipe.sh service			start pcounter-metrics
#        recipe.sh reader USER			and let a user read its file
#        recipe.sh collectd|node_exporter|telegraf|netdata|pcp
set -eu

# Debian's kernels refuse events to all but root, whatever their capabilities. This holds
# for the machine, and until somebody removes the file: no purge does.
allow_events()
{
	[ "$(sysctl -n kernel.perf_event_paranoid)" -gt 2 ] || return 0
	echo kernel.perf_event_paranoid=2 >/etc/sysctl.d/pcounter.conf
	sysctl -p /etc/sysctl.d/pcounter.conf
}

# Every user of the machine, not only the one of the recipe.
allow_users()
{
	allow_events
	setcap cap_perfmon+ep /usr/bin/pcounter
}

start_service()
{
	allow_events
	systemctl enable --now pcounter-metrics
}

add_reader()
{
	start_service
	usermod -a -G pcounter "$1"
}

cd "$(dirname "$0")"
case ${1-}:$# in
users:1)
	allow_users
	;;
service:1)
	start_service
	;;
reader:2)
	add_reader "$2"
	;;
collectd:1)
	allow_users
	cp collectd.conf /etc/collectd/collectd.conf.d/pcounter.conf
	systemctl restart collectd
	;;
node_exporter:1)
	add_reader prometheus
	ln -sf /run/pcounter/pcounter.prom /var/lib/prometheus/node-exporter/
	systemctl restart prometheus-node-exporter
	;;
telegraf:1)
	add_reader telegraf
	cp telegraf.conf /etc/telegraf/telegraf.d/pcounter.conf
	systemctl restart telegraf
	;;
netdata:1)
	add_reader netdata
	install -D gpu.plugin /etc/netdata/custom-plugins.d/gpu.plugin
	systemctl restart netdata
	;;
# PCP starts its agents as root
pcp:1)
	start_service
	cp pcp-openmetrics.url /var/lib/pcp/pmdas/openmetrics/config.d/pcounter.url
	cp pcp-derived.conf /var/lib/pcp/config/derived/pcounter.conf
	cd /var/lib/pcp/pmdas/openmetrics
	./Install
	;;
*)
	sed -n '/^# usage/,/^set/s/^# //p' recipe.sh >&2
	exit 1
	;;
esac
