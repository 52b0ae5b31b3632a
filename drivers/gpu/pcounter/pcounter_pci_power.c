// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power states of a PCI function that is not ours (hw/coexistence.md 4).
 */
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/pm_runtime.h>
#include <linux/time64.h>

#include "pcounter_compat.h"
#include "pcounter_pci_power.h"

/* No more often than this, however short the autosuspend delay. */
#define LATCH_MIN_NS	(10 * NSEC_PER_MSEC)

/* Odd while the system is going to sleep, sleeps or wakes. */
static unsigned int system_sleeps;

/*
 * Runtime power management takes spinlock_t, perf calls with a raw one held. That
 * is wrong with PREEMPT_RT only.
 */
static DEFINE_WAIT_OVERRIDE_MAP(pm_map, LD_WAIT_CONFIG);

/**
 * pcounter_pci_sleep() - the system goes to sleep, or has woken
 * @asleep: which of them
 *
 * Drivers switch functions off in the course of this, in an order of their own,
 * and runtime power management does not tell.
 */
void pcounter_pci_sleep(bool asleep)
{
	if ((system_sleeps & 1) != asleep)
		WRITE_ONCE(system_sleeps, system_sleeps + 1);
}

/* vga_switcheroo and others do not care for runtime power management. */
static bool is_on(const struct pci_dev *pdev)
{
	pci_power_t state = READ_ONCE(pdev->current_state);

	/* unknown: there is no power management, or no driver since boot */
	return state == PCI_D0 || state == PCI_UNKNOWN;
}

/**
 * pcounter_pci_get() - keep a function that is awake from falling asleep
 * @pdev: the function
 *
 * May be called with interrupts off.
 *
 * Return: what to give to pcounter_pci_put(); PCOUNTER_PCI_ASLEEP if it sleeps.
 */
enum pcounter_pci_hold pcounter_pci_get(struct pci_dev *pdev)
{
	enum pcounter_pci_hold how = PCOUNTER_PCI_HELD;
	int active;

	if (READ_ONCE(system_sleeps) & 1)
		return PCOUNTER_PCI_ASLEEP;
	active = pcounter_pm_get_if_active(&pdev->dev);
	if (!active)
		return PCOUNTER_PCI_ASLEEP;
	if (active < 0)
		how = PCOUNTER_PCI_UNMANAGED;
	if (is_on(pdev))
		return how;
	pcounter_pci_put(pdev, how);
	return PCOUNTER_PCI_ASLEEP;
}

/**
 * pcounter_pci_put() - let it sleep again when it would have
 * @pdev: the function
 * @how: what pcounter_pci_get() returned
 *
 * Who let go of it meanwhile has not set it on its way, so that is for us to do.
 * Not by asking whether it is idle: nouveau takes the question itself for a use.
 */
void pcounter_pci_put(struct pci_dev *pdev, enum pcounter_pci_hold how)
{
	if (how == PCOUNTER_PCI_HELD)
		__pm_runtime_suspend(&pdev->dev, RPM_GET_PUT | RPM_ASYNC | RPM_AUTO);
}

/**
 * pcounter_pci_power_init() - look after a function
 * @power: zeroed memory
 * @pdev: the function
 */
void pcounter_pci_power_init(struct pcounter_pci_power *power, struct pci_dev *pdev)
{
	power->pdev = pdev;
	power->slept_ns = pm_runtime_suspended_time(&pdev->dev);
	power->sleeps = READ_ONCE(system_sleeps);
}

/**
 * pcounter_pci_power_hold() - the same for the accesses of a moment
 * @power: the function's state
 * @losses: counted up if it has slept since the last time
 *
 * Return: true until pcounter_pci_power_drop(), false if it sleeps.
 */
bool pcounter_pci_power_hold(struct pcounter_pci_power *power, u32 *losses)
{
	unsigned int sleeps;
	u64 slept_ns;

	lock_map_acquire_try(&pm_map);
	power->how = pcounter_pci_get(power->pdev);
	slept_ns = pm_runtime_suspended_time(&power->pdev->dev);
	lock_map_release(&pm_map);
	if (power->how == PCOUNTER_PCI_ASLEEP)
		return false;
	sleeps = READ_ONCE(system_sleeps);
	if (slept_ns != power->slept_ns || sleeps != power->sleeps)
		++*losses;
	power->slept_ns = slept_ns;
	power->sleeps = sleeps;
	return true;
}

/**
 * pcounter_pci_power_drop() - undo a successful pcounter_pci_power_hold()
 * @power: the function's state
 */
void pcounter_pci_power_drop(struct pcounter_pci_power *power)
{
	lock_map_acquire_try(&pm_map);
	pcounter_pci_put(power->pdev, power->how);
	lock_map_release(&pm_map);
}

/**
 * pcounter_pci_power_latch_ns() - how often to take in counts
 * @power: the function's state
 *
 * It falls asleep when nothing has happened for some time: whoever looks twice
 * in that time has seen all that happened.
 *
 * Return: nanoseconds, 0 if it does not matter.
 */
u64 pcounter_pci_power_latch_ns(const struct pcounter_pci_power *power)
{
#ifdef CONFIG_PM
	const struct dev_pm_info *pm = &power->pdev->dev.power;
	int delay = READ_ONCE(pm->autosuspend_delay);

	if (pm->use_autosuspend && delay >= 0)
		return max_t(u64, LATCH_MIN_NS, (u64)delay * NSEC_PER_MSEC / 2);
#endif
	return 0;
}
