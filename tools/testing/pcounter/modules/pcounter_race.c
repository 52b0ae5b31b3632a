// SPDX-License-Identifier: GPL-2.0-only
/*
 * A data race, for guest tests: a kernel that reports races must report this
 * one.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

static struct task_struct *race_tasks[2];
static unsigned long race_count;

static int race_run(void *unused)
{
	while (!kthread_should_stop()) {
		race_count++;
		cond_resched();
	}
	return 0;
}

static void race_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(race_tasks); i++)
		if (race_tasks[i])
			kthread_stop(race_tasks[i]);
}

static int __init race_init(void)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(race_tasks); i++) {
		task = kthread_run(race_run, NULL, "race/%u", i);
		if (IS_ERR(task)) {
			race_exit();
			return PTR_ERR(task);
		}
		race_tasks[i] = task;
	}
	return 0;
}

module_init(race_init);
module_exit(race_exit);

MODULE_DESCRIPTION("A data race, for tests");
MODULE_LICENSE("GPL");
