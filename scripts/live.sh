#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make build/pcounter-live.img, a stick of Debian 12 that boots any PC into pcounter, by
# BIOS or UEFI. Documentation/admin-guide/perf/pcounter-stick.rst describes it.
#
# usage: live.sh		print the path of the image
#        live.sh --fresh DIR	make all of it anew in DIR, and print the path
#
# The same packages and sources give the same image. Debian's part, which takes minutes, is
# in the cache; a new kernel of Debian 12 makes it anew.
set -eu
. "$(dirname "$0")/lib.sh"

suite=bookworm
# in MiB; reports have what the files leave
start_mb=1 size_mb=400
live=$top/tools/live
out=$top/build/live image=$top/build/pcounter-live.img
packages="busybox glmark2-drm initramfs-tools jq libcap2-bin libegl1 libgl1 libgl1-mesa-dri
	libgles2 libjansson4 libkmod2 libncursesw6 libpci3 linux-perf pci.ids pciutils procps
	qrencode systemd-sysv udev zstd"

# Write the files that belong to no package.
own_files()
{
	root=$1
	mkdir -p "$root/root"
	for unit in getty serial-getty; do
		mkdir -p "$root/etc/systemd/system/$unit@.service.d"
		printf '%s\n' '[Service]' 'ExecStart=' \
			"ExecStart=-/sbin/agetty --noissue --autologin root --keep-baud 115200,9600 - \$TERM" \
			>"$root/etc/systemd/system/$unit@.service.d/screen.conf"
	done
	# systemd sets a clock that is older than this file, as in a machine with a dead battery
	install -D /dev/null "$root/usr/lib/clock-epoch"
	echo 'exec /usr/bin/pcounter-stick' >"$root/root/.profile"
	: >"$root/root/.hushlogin"
	install -D -m 755 "$live/screen" "$root/usr/bin/pcounter-stick"
}

# make_debian DIR: write debian.squashfs, vmlinuz, initrd and the two programs that UEFI
# starts. The machine's identity and logs would differ each time.
# shellcheck disable=SC2016 # for mmdebstrap's shell
make_debian()
{
	package_sources $suite | INITRD=No SYSTEMD_OFFLINE=1 mmdebstrap --variant=minbase --quiet \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="linux-image-$release,$(echo "$packages" | tr -s ' \n\t' ',' | sed 's/,$//')" \
		--customize-hook="cp '$live/boot' \"\$1/usr/share/initramfs-tools/scripts/pcounter\"" \
		--customize-hook="install '$live/hook' \"\$1/usr/share/initramfs-tools/hooks/pcounter\"" \
		--customize-hook='printf "MODULES=list\nCOMPRESS=zstd\n" >"$1/etc/initramfs-tools/conf.d/stick"' \
		--customize-hook="chroot \"\$1\" mkinitramfs -o /boot/initrd $release" \
		--customize-hook="cp \"\$1/boot/vmlinuz-$release\" '$1/vmlinuz'; mv \"\$1/boot/initrd\" '$1'" \
		--customize-hook='chroot "$1" passwd -d root; echo pcounter >"$1/etc/hostname"
			rm -rf "$1"/boot/* "$1"/var/cache/* "$1"/var/log/* "$1"/etc/motd "$1"/etc/resolv.conf \
				"$1"/var/lib/systemd/* "$1"/etc/*- "$1"/var/tmp/*
			: >"$1/etc/fstab"' \
		$suite "$1/root.tar" - || return
	sqfstar -comp zstd -quiet -no-progress "$1/debian.squashfs" <"$1/root.tar" || return
	rm "$1/root.tar"
	(cd "$1" && apt-get -q download shim-signed grub-efi-amd64-signed) || return
	for package in "$1"/*.deb; do
		dpkg-deb -x "$package" "$1/efi" || return
		rm "$package"
	done
}

# make_own DIR: write the layer with modules, program and screen. The modules' index needs
# those of Debian.
make_own()
{
	root=$1/root
	modules=$("$top/scripts/build-modules.sh" --users 6.1) || return
	rm -rf "$1"
	mkdir -p "$root"
	unsquashfs -quiet -no-progress -d "$1/debian" "$debian/debian.squashfs" usr/lib/modules || return
	install -D -m 644 -t "$1/debian/usr/lib/modules/$release/updates/pcounter" \
		"$modules/pcounter.ko" "$modules/pcounter_lab.ko" || return
	ln -s usr/lib "$1/debian/lib"
	/sbin/depmod -b "$1/debian" "$release" || return
	mkdir -p "$root/usr/lib/modules/$release"
	mv "$1/debian/usr/lib/modules/$release"/updates "$1/debian/usr/lib/modules/$release"/modules.* \
		"$root/usr/lib/modules/$release" || return
	make -s -C "$top" tools_install DESTDIR="$root" prefix=/usr >/dev/null || return
	rm -rf "$root/usr/share/man" "$root/usr/lib/systemd" "$root/usr/lib/udev"
	own_files "$root"
	mksquashfs "$root" "$1/pcounter.squashfs" -comp zstd -quiet -no-progress -all-root || return
}

# Write the image: a boot sector, GRUB behind it, and the file system.
make_image()
{
	part=$image@@${start_mb}M
	rm -f "$image"
	truncate -s ${size_mb}M "$image"
	printf 'label: dos\nlabel-id: 0x50434e54\nstart=%dMiB, type=c, bootable\n' $start_mb |
		/sbin/sfdisk -q "$image" || return
	# Some BIOSes give a wrong number of the disk: GRUB trusts it unless told so.
	dd if=/usr/lib/grub/i386-pc/boot.img of="$image" bs=440 count=1 conv=notrunc status=none
	printf '\220\220' | dd of="$image" bs=1 seek=102 conv=notrunc status=none
	grub-mkimage -O i386-pc -p '(,msdos1)/EFI/debian' -o "$out/core.img" \
		biosdisk part_msdos fat normal linux configfile serial terminfo test echo ls reboot halt
	dd if="$out/core.img" of="$image" bs=512 seek=1 conv=notrunc status=none
	/sbin/mkfs.vfat -F 32 -n PCOUNTER --invariant -h $((start_mb * 2048)) --offset $((start_mb * 2048)) \
		"$image" $(((size_mb - start_mb) * 1024)) >/dev/null || return
	find "$out/fat" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
	# in the same order each time
	(cd "$out/fat" && export TZ=UTC &&
		find . -mindepth 1 -type d | LC_ALL=C sort | sed 's|^\.|::|' | xargs mmd -i "$part" &&
		find . -type f | LC_ALL=C sort | while read -r file; do
			mcopy -mi "$part" "$file" "::$file" || return
		done)
}

fat_files()
{
	rm -rf "$out/fat"
	mkdir -p "$out/fat/EFI/BOOT" "$out/fat/EFI/debian" "$out/fat/live" "$out/fat/reports"
	cp "$debian/efi/usr/lib/shim/shimx64.efi.signed" "$out/fat/EFI/BOOT/BOOTX64.EFI"
	cp "$debian/efi/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" "$out/fat/EFI/BOOT/grubx64.efi"
	cp "$live/grub.cfg" "$out/fat/EFI/debian"
	cp "$debian/vmlinuz" "$debian/initrd" "$out/fat/live"
	cp "$debian/debian.squashfs" "$out/fat/live/10-debian.squashfs"
	cp "$out/own/pcounter.squashfs" "$out/fat/live/20-pcounter.squashfs"
}

case $*:$# in
:0)	;;
--fresh*:2)
	cache=$2/cache
	out=$2 image=$2/pcounter-live.img
	;;
*)	die "usage: live.sh [--fresh DIR]" ;;
esac
"$top/scripts/setup.sh" live
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -ud "$(sed -n 's/^[0-9.]*, //p' "$top/NEWS" | head -n 1)" +%s)}
export SOURCE_DATE_EPOCH
headers=$("$top/scripts/kernels.sh" headers 6.1)
release=${headers##*/linux-headers-}
debian=$cache/live/$release-$({ echo "$SOURCE_DATE_EPOCH $packages"
	sed -n '/^make_debian()/,/^}/p' "$0"; cat "$live/boot" "$live/hook"; } | sha256sum | cut -c 1-12)
make_once "$debian" make_debian
mkdir -p "$out"
quietly "$out/own.log" make_own "$out/own"
fat_files
quietly "$out/image.log" make_image
echo "$image"
