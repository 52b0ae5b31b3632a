// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system restarts, as far as drivers' notifiers can tell, for guest tests.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/reboot.h>
#include <linux/rwsem.h>

/* The list is not exported, nor is the function that would find it. */
static struct blocking_notifier_head *restart_notifiers(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);

	if (register_kprobe(&probe))
		return NULL;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return (void *)lookup("reboot_notifier_list");
}

static int __init restart_init(void)
{
	struct blocking_notifier_head *notifiers = restart_notifiers();
	struct notifier_block *nb;

	if (!notifiers)
		return -EOPNOTSUPP;
	down_read(&notifiers->rwsem);
	nb = rcu_dereference_raw(notifiers->head);
	/* perf's own is the last, and ends all events for good */
	for (; nb && nb->priority > INT_MIN; nb = rcu_dereference_raw(nb->next))
		nb->notifier_call(nb, SYS_RESTART, NULL);
	up_read(&notifiers->rwsem);
	return 0;
}
module_init(restart_init);

static void __exit restart_exit(void)
{
}
module_exit(restart_exit);

MODULE_DESCRIPTION("A restart that does not happen, for tests");
MODULE_LICENSE("GPL");
