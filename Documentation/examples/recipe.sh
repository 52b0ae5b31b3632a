#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bring the share of time in which a GPU is busy to users and programs, as root.
#
# usage: recipe.sh service			start pcounter-metrics
#        recipe.sh reader USER			and let a user read its file
#        recipe.sh collectd|node_exporter|telegraf|netdata|pcp
set -eu

# Debian's kernels refuse events to all but root, whatever their capabilities.
start_service()
{
	pcounter-rights level
	systemctl enable --now pcounter-metrics
}

add_reader()
{
	start_service
	usermod -a -G pcounter "$1"
}

cd "$(dirname "$0")"
case ${1-}:$# in
service:1)
	start_service
	;;
reader:2)
	add_reader "$2"
	;;
collectd:1)
	pcounter-rights all
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
