#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Let users count. A file for sysctl keeps the answer: its level outlasts a boot, and its first
# line has the words by which the package, and "make install", call this after an upgrade.
#
#: Usage: pcounter-rights [group|all|level [perf]]
#:
#: let users count, beyond the next boot and upgrade
#:
#: Options:
#:   group    members of the group pcounter; nobody else can run the program(s) then
#:   all      every user of this machine
#:   level    no other user: only lower the kernel's level, for services
#:   perf     by perf, too, with which they can watch all programs and the kernel
#:   --undo   take all of it back
#:   --again  give it again, after an upgrade
#:   --show   who may count (default)
#:   --help   this text
#:
#: Counters are a side channel: who counts learns what programs of others do on a GPU.
set -eu

program=@bindir@/pcounter
# other files of that folder come later, and prevail
kept=/etc/sysctl.d/00-pcounter.conf
level=/proc/sys/kernel/perf_event_paranoid
words=$(sed -n '1s/^# pcounter-rights //p' $kept 2>/dev/null || :)
who=${words%% *} files=${words#"$who"}
before=$(sed -n 's/^# before: //p' $kept 2>/dev/null || :)

# Give all files, which may be gone, owner, mode and capability for: nobody, group or all.
give()
{
	owner=root mode=755
	[ "$1" != group ] || owner=pcounter mode=750
	for file in $files; do
		[ -e "$file" ] || continue
		# this takes the capability
		chown "root:$owner" "$file"
		chmod "$mode" "$file"
		[ "$1" = nobody ] || setcap cap_perfmon=ep "$file"
	done
}

case "$*" in
"" | --show) ;;
--again)
	give "$who"
	exit ;;
--undo)
	give nobody
	# a container has no say about the level
	[ -z "$who" ] || [ "$(cat $level)" != 2 ] || echo "$before" >$level || :
	rm -f $kept
	who='' ;;
level | group | all | "group perf" | "all perf")
	if [ "$1" != level ]; then
		give nobody
		who=$1 files=" $program${2+ $(readlink -ve "$(command -v perf || echo perf)")}"
	fi
	before=${before:-$(cat $level)}
	printf '# pcounter-rights %s\n# before: %s\nkernel.perf_event_paranoid = 2\n' \
		"${who:=level}$files" "$before" >$kept
	chmod 644 $kept
	[ "$(cat $level)" -le 2 ] || echo 2 >$level
	give "$who" ;;
*)
	sed -n 's/^#: \?//p' "$0"
	[ "$*" = --help ] || exit 2
	exit ;;
esac
case $who in
group)	echo "These members of the group pcounter may count with$files:" \
		"$(getent group pcounter | cut -d: -f4)" ;;
all)	echo "EVERY USER of this machine may count with$files." ;;
*)	echo "No user may count by pcounter-rights." ;;
esac
echo "kernel.perf_event_paranoid is $(cat $level): at 0 or below every user may count."
