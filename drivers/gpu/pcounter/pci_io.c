// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PCI function: its owner, access to its registers, pcounter's share in enabling it, its
 * power states (hw:coexistence/power), and its access to memory. pcounter works beside a
 * graphics driver, and without any driver. Other drivers lend the function to a guest or to
 * user space, and pcounter leaves it alone.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/iommu.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat.h"
#include "pci_io.h"

#define PCOUNTER_DMA_BITS	40	/* hw:memory/system */

/* ---- the owner ---- */

static char *owner[8];
static int owners;
module_param_array(owner, charp, &owners, 0444);
MODULE_PARM_DESC(owner, "More graphics drivers whose GPUs can be counted, NAME[,NAME]; nouveau and others are known");

/* Drivers that use a GPU for this system. */
static const char * const graphics_drivers[] = {
	"nouveau", "nvidia", "nvidiafb", "rivafb", "nova_core", "NovaCore",
};

static bool is_graphics_driver(const char *name)
{
	return match_string(graphics_drivers, ARRAY_SIZE(graphics_drivers), name) >= 0 ||
	       match_string((const char * const *)owner, owners, name) >= 0;
}

/* The caller holds the group's mutex, so the domain stays. */
static int has_user_domain(struct device *dev, void *unused)
{
#ifdef CONFIG_IOMMU_API
	const struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && (domain->type == IOMMU_DOMAIN_BLOCKED ||
			  domain->type == IOMMU_DOMAIN_UNMANAGED);
#else
	return 0;
#endif
}

/*
 * Return true if user space owns the DMA of a function. User space gets all functions that
 * an IOMMU cannot tell apart, including functions without a driver. A claimed group alone
 * does not prove it: each ordinary driver in the group, for example the driver of the GPU's
 * sound, claims the group for the kernel.
 */
static bool has_user_dma(struct pci_dev *pdev)
{
	struct iommu_group *group = iommu_group_get(&pdev->dev);
	bool user;

	if (!group)
		return false;
	user = iommu_group_dma_owner_claimed(group) &&
	       iommu_group_for_each_dev(group, NULL, has_user_domain);
	iommu_group_put(group);
	return user;
}

/**
 * pcounter_owner_check() - check whether a function belongs to a guest or to user space
 * @pdev: the function, with its device lock
 * @tell: log the reason
 *
 * A driver that is not known as a graphics driver may lend the function, too.
 *
 * Return: true if pcounter must leave the function alone.
 */
bool pcounter_owner_check(struct pci_dev *pdev, bool tell)
{
	struct device_driver *driver = pdev->dev.driver;
	/* pci-stub, vfio-pci and its variants */
	bool lender = driver && to_pci_driver(driver)->driver_managed_dma;

	if (driver ? !lender && is_graphics_driver(driver->name) : !has_user_dma(pdev))
		return false;
	if (!tell)
		return true;
	if (!driver)
		pci_info(pdev, "pcounter: user space owns its DMA: left alone\n");
	else if (lender)
		pci_info(pdev, "pcounter: bound to %s, which lends the GPU to somebody else: left alone\n",
			 driver->name);
	else
		pci_info(pdev, "pcounter: bound to %s, which is not known as a graphics driver: left alone (if it is one, load pcounter with owner=%s)\n",
			 driver->name, driver->name);
	return true;
}

/* ---- registers ---- */

static struct pcounter_pci *io_to_pci(struct pcounter_io *io)
{
	return container_of(io, struct pcounter_pci, io);
}

static u32 pcounter_pci_rd32(struct pcounter_io *io, u32 addr)
{
	if (WARN_ON_ONCE(addr >= PCOUNTER_BAR_SIZE))
		return PCOUNTER_DEAD;
	return readl(io_to_pci(io)->map + addr);
}

static void pcounter_pci_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	if (!WARN_ON_ONCE(addr >= PCOUNTER_BAR_SIZE))
		writel(val, io_to_pci(io)->map + addr);
}

/* ---- enabling ---- */

/**
 * pcounter_pci_enable() - enable a function that has no driver, unless pcounter has a share
 * @pp: the function, awake
 *
 * The PCI core counts shares. If pcounter held one while a driver has the function,
 * the driver's pci_enable_device() and pci_disable_device() would do nothing, and
 * bus mastering would outlive the driver.
 *
 * Return: 0 or a negative errno.
 */
int pcounter_pci_enable(struct pcounter_pci *pp)
{
	int err;

	if (pp->pdev->dev.driver || READ_ONCE(pp->share) != PCOUNTER_SHARE_NONE)
		return 0;
	pci_read_config_word(pp->pdev, PCI_COMMAND, &pp->found);
	err = pci_enable_device_mem(pp->pdev);
	if (!err)
		WRITE_ONCE(pp->share, PCOUNTER_SHARE_OURS);
	return err;
}

/*
 * Notice that other code has disabled a function without driver; return false. Root or a switch
 * module may do so without notifying its users. Then pcounter has lost its share: the next
 * enable by other code makes a new one, which belongs to that code. The function counts
 * as enabled while there is a share. Read memory only.
 */
static bool check_enabled(struct pcounter_pci *pp)
{
	if (atomic_read(&pp->pdev->enable_cnt))
		return true;
	/* pcounter_pci_disable() has given the share up before the count falls */
	cmpxchg(&pp->share, PCOUNTER_SHARE_OURS, PCOUNTER_SHARE_TAKEN);
	return READ_ONCE(pp->share) == PCOUNTER_SHARE_NONE;
}

/**
 * pcounter_pci_disable() - give the share up, and restore bits of COMMAND
 * @pp: the function
 * @bits: PCI_COMMAND_MASTER, and after the last access to a register PCI_COMMAND_MEMORY
 *
 * pci_disable_device() switches off bus mastering only, so memory decoding stays on
 * and the registers remain accessible to a driver that binds. If firmware left bus
 * mastering on, restore it for the driver.
 */
void pcounter_pci_disable(struct pcounter_pci *pp, u16 bits)
{
	int share = xchg(&pp->share, PCOUNTER_SHARE_NONE);
	u16 command, restored;

	if (share == PCOUNTER_SHARE_NONE)
		return;
	if (share == PCOUNTER_SHARE_OURS && pci_is_enabled(pp->pdev))
		pci_disable_device(pp->pdev);
	else
		bits &= ~pp->found;	/* leave bits off that other code has switched off */
	/* enabled by root, in sysfs */
	if (pci_is_enabled(pp->pdev))
		return;
	pci_read_config_word(pp->pdev, PCI_COMMAND, &command);
	restored = (command & ~bits) | (pp->found & bits);
	if (restored != command)
		pci_write_config_word(pp->pdev, PCI_COMMAND, restored);
}

/* ---- power ---- */

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

/**
 * struct usage - runtime power management's view of a function
 * @refs: references of all users
 * @sleep_is_due: a timer will suspend the function, or its driver is about to decide
 * @last_busy: time of the last use
 */
struct usage {
	int refs;
	bool sleep_is_due;
	u64 last_busy;
};

/*
 * The lock makes "a request is pending" mean that its work has still to look at the
 * references. Without runtime power management there are always some.
 */
static struct usage usage_of(struct pci_dev *pdev)
{
	struct usage usage = { .refs = INT_MAX };
#ifdef CONFIG_PM
	struct dev_pm_info *pm = &pdev->dev.power;

	guard(spinlock_irqsave)(&pm->lock);
	if (!pm_runtime_enabled(&pdev->dev))
		return usage;
	usage.refs = atomic_read(&pm->usage_count);
	usage.sleep_is_due = pm->timer_expires || pm->request_pending;
	usage.last_busy = READ_ONCE(pm->last_busy);
#endif
	return usage;
}

/**
 * pcounter_pci_get() - keep a function that is awake from falling asleep
 * @pdev: the function
 *
 * In process context, or in an interrupt without locks.
 *
 * Return: true until pcounter_pci_put(), false if it sleeps.
 */
bool pcounter_pci_get(struct pci_dev *pdev)
{
	int active;

	if (READ_ONCE(system_sleeps) & 1 || !is_on(pdev))
		return false;
	active = pcounter_pm_get_if_active(&pdev->dev);
	/* without runtime power management it is always active */
	if (active < 0)
		pm_runtime_get_noresume(&pdev->dev);
	return active;
}

/**
 * pcounter_pci_wake() - wake a function up, and keep it awake
 * @pdev: the function; in process context
 *
 * lspci reads configuration space, for which it wakes a function only from D3cold.
 * The register that identifies a GPU answers in D0 only, so this resumes the function
 * itself, by its driver if it has one.
 *
 * Return: true until pcounter_pci_put(), false if the function cannot be woken, or
 * somebody has switched it off without runtime power management.
 */
bool pcounter_pci_wake(struct pci_dev *pdev)
{
	if (READ_ONCE(system_sleeps) & 1 || pm_runtime_resume_and_get(&pdev->dev))
		return false;
	if (is_on(pdev))
		return true;
	pcounter_pci_put(pdev);
	return false;
}

/*
 * While pcounter had a reference, the owner may have put its last reference, or the
 * autosuspend timer may have expired: then nothing suspends the function, and its
 * driver has to decide whether it may sleep.
 */
static bool put_must_ask(struct pci_dev *pdev)
{
	struct usage usage;

	pm_runtime_put_noidle(&pdev->dev);
	usage = usage_of(pdev);
	return !usage.refs && !usage.sleep_is_due;
}

/**
 * pcounter_pci_put() - put a reference, so that the function can sleep again
 * @pdev: the function, after pcounter_pci_get() or pcounter_pci_wake()
 */
void pcounter_pci_put(struct pci_dev *pdev)
{
	if (put_must_ask(pdev))
		pm_request_idle(&pdev->dev);
}

/**
 * pcounter_pci_power_init() - initialise the power state of a function without PMU
 * @pp: the function
 */
void pcounter_pci_power_init(struct pcounter_pci *pp)
{
	pp->slept_ns = pm_runtime_suspended_time(&pp->pdev->dev);
	pp->slept_before_ns = pp->slept_ns;
	pp->sleeps = READ_ONCE(system_sleeps);
}

/**
 * pcounter_pci_decodes() - check whether a function decodes memory
 * @pdev: the function, awake
 *
 * Return: true if so.
 */
bool pcounter_pci_decodes(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return command & PCI_COMMAND_MEMORY;
}

/* Notice that other code has disabled the function or its memory decoding; return false. */
static bool check_reachable(struct pcounter_pci *pp)
{
	return check_enabled(pp) && pcounter_pci_decodes(pp->pdev);
}

/* Return true if the owner has not used it since @resting was set: it will sleep soon. */
static bool is_resting(const struct pcounter_pci *pp)
{
	/* pairs with pcounter_pci_io_put_sync() */
	bool resting = smp_load_acquire(&pp->resting);
	struct usage usage = usage_of(pp->pdev);

	return resting && usage.refs <= atomic_read(&pp->refs) &&
	       usage.last_busy == READ_ONCE(pp->busy) && usage.sleep_is_due;
}

static void pcounter_pci_io_put(struct pcounter_io *io)
{
	struct pcounter_pci *pp = io_to_pci(io);

	atomic_dec(&pp->refs);
	pcounter_pci_put(pp->pdev);
}

static bool pcounter_pci_io_get(struct pcounter_io *io)
{
	struct pcounter_pci *pp = io_to_pci(io);

	if (is_resting(pp) || !pcounter_pci_get(pp->pdev))
		return false;
	WRITE_ONCE(pp->resting, false);
	atomic_inc(&pp->refs);
	WRITE_ONCE(pp->slept_ns, pm_runtime_suspended_time(&pp->pdev->dev));
	if (check_reachable(pp))
		return true;
	pcounter_pci_io_put(io);
	return false;
}

/*
 * Put a reference after the owner's last use, and let the owner's driver decide whether
 * the function may sleep. Some drivers (nouveau) treat the question as a use, and wait
 * for another autosuspend delay; pcounter does not.
 */
static void pcounter_pci_io_put_sync(struct pcounter_io *io)
{
	struct pcounter_pci *pp = io_to_pci(io);

	atomic_dec(&pp->refs);
	if (put_must_ask(pp->pdev))
		pm_runtime_idle(&pp->pdev->dev);
	WRITE_ONCE(pp->busy, usage_of(pp->pdev).last_busy);
	/* pairs with is_resting() */
	smp_store_release(&pp->resting, true);
}

/* Read memory only. The caller holds the GPU's lock. */
static bool pcounter_pci_io_awake(struct pcounter_io *io)
{
	struct pcounter_pci *pp = io_to_pci(io);
	unsigned int sleeps = READ_ONCE(system_sleeps);
	u64 slept_ns = READ_ONCE(pp->slept_ns);

	if (!check_enabled(pp) || sleeps & 1 || !is_on(pp->pdev))
		return false;
	if (slept_ns != pp->slept_before_ns || sleeps != pp->sleeps)
		io->losses++;
	pp->slept_before_ns = slept_ns;
	pp->sleeps = sleeps;
	return true;
}

static bool pcounter_pci_io_unused(struct pcounter_io *io)
{
	struct pcounter_pci *pp = io_to_pci(io);

	if (!is_on(pp->pdev) || !check_reachable(pp))
		return true;
	return usage_of(pp->pdev).refs <= atomic_read(&pp->refs) &&
	       !pm_runtime_autosuspend_expiration(&pp->pdev->dev);
}

/* ---- memory ---- */

/**
 * pcounter_pci_clear_master() - end bus mastering that record mode has enabled
 * @pp: the function; it has no driver
 */
void pcounter_pci_clear_master(struct pcounter_pci *pp)
{
	if (pp->master)
		pci_clear_master(pp->pdev);
	pp->master = false;
}

/*
 * Record mode. A GPU that falls asleep forgets the channel, and packets that are on their
 * way: keep it awake. A graphics driver sets the DMA mask and makes the GPU a bus
 * master. Without a graphics driver pcounter does so, and undoes it. If a
 * driver has bound since, bus mastering stays on, since the driver may rely on
 * it, until the driver unbinds.
 */
static int pcounter_pci_io_dma(struct pcounter_io *io, bool on)
{
	struct pcounter_pci *pp = io_to_pci(io);
	int err = 0;

	if (!on) {
		if (!pp->pdev->driver)
			pcounter_pci_clear_master(pp);
		pcounter_pci_put(pp->pdev);
		return 0;
	}
	if (!pcounter_pci_get(pp->pdev))
		return -EAGAIN;
	if (!pp->pdev->driver && has_user_dma(pp->pdev))
		err = -EBUSY;	/* user space owns the function's DMA */
	else if (!pp->pdev->driver)
		err = dma_set_mask_and_coherent(&pp->pdev->dev, DMA_BIT_MASK(PCOUNTER_DMA_BITS));
	if (err) {
		pcounter_pci_put(pp->pdev);
	} else if (!pp->pdev->is_busmaster) {
		pci_set_master(pp->pdev);
		pp->master = true;
	}
	return err;
}

const struct pcounter_io_ops pcounter_pci_ops = {
	.rd32 = pcounter_pci_rd32,
	.wr32 = pcounter_pci_wr32,
	.awake = pcounter_pci_io_awake,
	.get = pcounter_pci_io_get,
	.put = pcounter_pci_io_put,
	.put_sync = pcounter_pci_io_put_sync,
	.unused = pcounter_pci_io_unused,
	.dma = pcounter_pci_io_dma,
};
