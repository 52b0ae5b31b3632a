// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power states of a PCI function that belongs to another driver
 * (hw:coexistence/power).
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/pm_runtime.h>
#include <linux/time64.h>

#include "compat.h"
#include "pci_power.h"

/* Interval of checks for an owner that still uses the function, and for power off. */
#define WATCH_MIN_NS	(10 * NSEC_PER_MSEC)
#define WATCH_NS	(50 * NSEC_PER_MSEC)

/* Odd while the system enters sleep, sleeps or wakes. */
static unsigned int system_sleeps;

/**
 * pcounter_pci_sleep() - note that the system enters sleep, or has woken
 * @asleep: true if it enters sleep
 *
 * During a sleep of the system, drivers switch functions off in their own order, and
 * runtime power management does not show it.
 */
void pcounter_pci_sleep(bool asleep)
{
	if ((system_sleeps & 1) != asleep)
		WRITE_ONCE(system_sleeps, system_sleeps + 1);
}

/* vga_switcheroo and others bypass runtime power management. */
static bool is_on(const struct pci_dev *pdev)
{
	pci_power_t state = READ_ONCE(pdev->current_state);

	/* unknown: no power management, or no driver since boot */
	return state == PCI_D0 || state == PCI_UNKNOWN;
}

#ifdef CONFIG_PM
/* Return the number of references of all users of the function. */
static int all_refs(struct pci_dev *pdev)
{
	return atomic_read(&pdev->dev.power.usage_count);
}

/* Return true if a timer will suspend the function, or its driver is about to decide. */
static bool sleep_is_due(struct pci_dev *pdev)
{
	return READ_ONCE(pdev->dev.power.timer_expires) || pdev->dev.power.request_pending;
}

static u64 last_busy(struct pci_dev *pdev)
{
	return READ_ONCE(pdev->dev.power.last_busy);
}
#else
static int all_refs(struct pci_dev *pdev)
{
	return INT_MAX;
}

static bool sleep_is_due(struct pci_dev *pdev)
{
	return false;
}

static u64 last_busy(struct pci_dev *pdev)
{
	return 0;
}
#endif

/**
 * pcounter_pci_get() - keep a function that is awake from falling asleep
 * @pdev: the function
 *
 * In process context, or in an interrupt without locks.
 *
 * Return: the argument for pcounter_pci_put(); PCOUNTER_PCI_ASLEEP if it sleeps.
 */
enum pcounter_pci_ref pcounter_pci_get(struct pci_dev *pdev)
{
	enum pcounter_pci_ref how = PCOUNTER_PCI_REF;
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
 * pcounter_pci_wake() - wake a function up, and keep it awake
 * @pdev: the function; in process context
 *
 * lspci reads configuration space, for which it wakes a function only from D3cold.
 * The register that identifies a GPU answers in D0 only, so this resumes the function
 * itself, by its driver if it has one.
 *
 * Return: the argument for pcounter_pci_put(); PCOUNTER_PCI_ASLEEP if the function
 * cannot be woken, or somebody has switched it off without runtime power management.
 */
enum pcounter_pci_ref pcounter_pci_wake(struct pci_dev *pdev)
{
	if (READ_ONCE(system_sleeps) & 1 || pm_runtime_resume_and_get(&pdev->dev))
		return PCOUNTER_PCI_ASLEEP;
	if (is_on(pdev))
		return PCOUNTER_PCI_REF;
	pcounter_pci_put(pdev, PCOUNTER_PCI_REF);
	return PCOUNTER_PCI_ASLEEP;
}

/*
 * While pcounter had a reference, the owner may have put its last reference, or the
 * autosuspend timer may have expired: then nothing suspends the function, and its
 * driver has to decide whether it may sleep.
 */
static bool put_must_ask(struct pci_dev *pdev)
{
	pm_runtime_put_noidle(&pdev->dev);
	return !all_refs(pdev) && !sleep_is_due(pdev);
}

/**
 * pcounter_pci_put() - put a reference, so that the function can sleep again
 * @pdev: the function
 * @how: result of pcounter_pci_get() or pcounter_pci_wake()
 */
void pcounter_pci_put(struct pci_dev *pdev, enum pcounter_pci_ref how)
{
	if (how == PCOUNTER_PCI_REF && put_must_ask(pdev))
		pm_request_idle(&pdev->dev);
}

/**
 * pcounter_pci_power_init() - initialise the power state of a function
 * @power: zeroed memory
 * @pdev: the function
 */
void pcounter_pci_power_init(struct pcounter_pci_power *power, struct pci_dev *pdev)
{
	power->pdev = pdev;
	power->slept_ns = pm_runtime_suspended_time(&pdev->dev);
	power->slept_before_ns = power->slept_ns;
	power->sleeps = READ_ONCE(system_sleeps);
}

/* Return true if the owner has not used it since @resting was set: it will sleep soon. */
static bool is_resting(const struct pcounter_pci_power *power)
{
	/* pairs with pcounter_pci_power_put_sync() */
	return smp_load_acquire(&power->resting) &&
	       all_refs(power->pdev) <= atomic_read(&power->refs) &&
	       last_busy(power->pdev) == READ_ONCE(power->busy) && sleep_is_due(power->pdev);
}

/**
 * pcounter_pci_power_get() - keep a function awake for an access to its registers
 * @power: the function's state
 *
 * Return: true until pcounter_pci_power_put(), false if it sleeps.
 */
bool pcounter_pci_power_get(struct pcounter_pci_power *power)
{
	enum pcounter_pci_ref how;

	if (is_resting(power))
		return false;
	how = pcounter_pci_get(power->pdev);
	if (how == PCOUNTER_PCI_ASLEEP)
		return false;
	WRITE_ONCE(power->resting, false);
	if (how == PCOUNTER_PCI_REF)
		atomic_inc(&power->refs);
	WRITE_ONCE(power->slept_ns, pm_runtime_suspended_time(&power->pdev->dev));
	return true;
}

/* Put one reference, since all are alike; without runtime PM there are none. */
static bool pcounter_pci_power_unref(struct pcounter_pci_power *power)
{
	return atomic_add_unless(&power->refs, -1, 0);
}

/**
 * pcounter_pci_power_put() - undo a successful pcounter_pci_power_get()
 * @power: the function's state
 */
void pcounter_pci_power_put(struct pcounter_pci_power *power)
{
	if (pcounter_pci_power_unref(power))
		pcounter_pci_put(power->pdev, PCOUNTER_PCI_REF);
}

/**
 * pcounter_pci_power_put_sync() - put a reference after the owner's last use
 * @power: the function's state
 *
 * Let the owner's driver decide whether the function may sleep. Some drivers (nouveau)
 * treat the question as a use, and wait for another autosuspend delay; pcounter does
 * not.
 */
void pcounter_pci_power_put_sync(struct pcounter_pci_power *power)
{
	struct pci_dev *pdev = power->pdev;

	if (pcounter_pci_power_unref(power) && put_must_ask(pdev))
		pm_runtime_idle(&pdev->dev);
	WRITE_ONCE(power->busy, last_busy(pdev));
	/* pairs with is_resting() */
	smp_store_release(&power->resting, true);
}

/**
 * pcounter_pci_power_awake() - check whether a function with a reference is on
 * @power: the function's state
 * @losses: incremented if it has slept since the last call
 *
 * Read memory only. The caller holds the GPU's lock.
 *
 * Return: true if its registers answer.
 */
bool pcounter_pci_power_awake(struct pcounter_pci_power *power, u32 *losses)
{
	unsigned int sleeps = READ_ONCE(system_sleeps);
	u64 slept_ns = READ_ONCE(power->slept_ns);

	if (sleeps & 1 || !is_on(power->pdev))
		return false;
	if (slept_ns != power->slept_before_ns || sleeps != power->sleeps)
		++*losses;
	power->slept_before_ns = slept_ns;
	power->sleeps = sleeps;
	return true;
}

/**
 * pcounter_pci_power_unused() - check whether only pcounter keeps it awake
 * @power: the function's state, with a reference
 *
 * Return: true if its owner would have let it sleep by now, or other code has
 * switched it off.
 */
bool pcounter_pci_power_unused(const struct pcounter_pci_power *power)
{
	struct pci_dev *pdev = power->pdev;
	int refs = atomic_read(&power->refs);

	return !is_on(pdev) || (refs && all_refs(pdev) <= refs &&
				!pm_runtime_autosuspend_expiration(&pdev->dev));
}

/**
 * pcounter_pci_power_watch_ns() - get the interval of pcounter_pci_power_unused() calls
 * @power: the function's state
 *
 * Return: nanoseconds.
 */
u64 pcounter_pci_power_watch_ns(const struct pcounter_pci_power *power)
{
#ifdef CONFIG_PM
	const struct dev_pm_info *pm = &power->pdev->dev.power;
	int delay = READ_ONCE(pm->autosuspend_delay);

	if (pm->use_autosuspend && delay >= 0)
		return clamp_t(u64, (u64)delay * NSEC_PER_MSEC / 2, WATCH_MIN_NS, WATCH_NS);
#endif
	return WATCH_NS;
}
