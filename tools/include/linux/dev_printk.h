/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in for the kernel header of this name: nobody reads the log. */
#ifndef _SHIM_LINUX_DEV_PRINTK_H
#define _SHIM_LINUX_DEV_PRINTK_H

#define dev_info(dev, ...)	((void)(dev))
#define dev_warn(dev, ...)	((void)(dev))
#define dev_warn_once(dev, ...)	((void)(dev))

#endif
