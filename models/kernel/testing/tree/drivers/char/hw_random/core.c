// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tiny core, for tests of models/kernel: under the kernel's names, and with everything in it that
// an object may have. Its attribute `does` does what is written to it.
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hw_random.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

static struct hwrng __rcu *current_rng;
static DEFINE_MUTEX(rng_mutex);
static DECLARE_COMPLETION(tiny_done);
static int reads = 7;           // initialised data
static u32 counter, pair[2];    // and not
static int *to_reads = &reads;  // and with a relocation
static u8 *rng_buffer;
static struct task_struct *thread;
static struct work_struct tiny_work;
static struct kref tiny_ref;
static DEFINE_IDA(tiny_ida);

void tiny_missing(void);
#define BUFFER_SIZE 8

static void work_fn(struct work_struct *work) { complete(&tiny_done); }

static void release(struct kref *kref) { counter += 100; }

static int thread_fn(void *arg) {
  while (!kthread_should_stop()) {
    set_current_state(TASK_INTERRUPTIBLE);
    if (!kthread_should_stop()) schedule();
  }
  return 5;
}

int hwrng_register(struct hwrng *rng) {
  int err = 0;

  mutex_lock(&rng_mutex);
  kref_init(&rng->ref);
  if (rng->init) err = rng->init(rng);
  if (!err) rcu_assign_pointer(current_rng, rng);
  mutex_unlock(&rng_mutex);
  return err;
}

void hwrng_unregister(struct hwrng *rng) {
  mutex_lock(&rng_mutex);
  RCU_INIT_POINTER(current_rng, NULL);
  mutex_unlock(&rng_mutex);
  synchronize_rcu();
  if (rng->cleanup) rng->cleanup(rng);
  kref_put(&rng->ref, release);
}

static void devm_release(struct device *dev, void *res) { hwrng_unregister(*(struct hwrng **)res); }

static int devm_match(struct device *dev, void *res, void *data) { return *(void **)res == data; }

int devm_hwrng_register(struct device *dev, struct hwrng *rng) {
  struct hwrng **res = devres_alloc(devm_release, sizeof(*res), GFP_KERNEL);
  int err = hwrng_register(rng);

  if (err) {
    devres_free(res);
    return err;
  }
  *res = rng;
  devres_add(dev, res);
  return 0;
}

void devm_hwrng_unregister(struct device *dev, struct hwrng *rng) {
  devres_release(dev, devm_release, devm_match, rng);
}

long hwrng_yield(struct hwrng *rng) { return schedule_timeout_interruptible(1); }

static int tiny_open(struct inode *inode, struct file *file) {
  return file->f_mode & FMODE_WRITE ? -EINVAL : 0;
}

static ssize_t tiny_read(struct file *file, char __user *buf, size_t size, loff_t *pos) {
  struct hwrng *rng;
  u8 bytes[BUFFER_SIZE];
  int len;

  rcu_read_lock();
  rng = rcu_dereference(current_rng);
  rcu_read_unlock();
  if (!rng) return -ENODEV;
  mutex_lock(&rng_mutex);
  len = rng->read(rng, rng_buffer, min(size, (size_t)BUFFER_SIZE), !(file->f_flags & O_NONBLOCK));
  if (len > 0) memcpy(bytes, rng_buffer, len);
  ++*to_reads;
  mutex_unlock(&rng_mutex);
  if (len > 0 && copy_to_user(buf, bytes, len)) return -EINVAL;
  return len;
}

// Everything that is marked or atomic, once.
static void do_all(void) {
  unsigned long before = jiffies;

  WRITE_ONCE(counter, READ_ONCE(counter) + 1);
  smp_store_release(&counter, smp_load_acquire(&counter) + 1);
  smp_mb();
  smp_rmb();
  smp_wmb();
  kref_init(&tiny_ref);
  kref_get(&tiny_ref);
  if (kref_get_unless_zero(&tiny_ref)) kref_put(&tiny_ref, release);
  counter += kref_read(&tiny_ref);
  kref_put(&tiny_ref, release);
  kref_put(&tiny_ref, release);
  if (rcu_access_pointer(current_rng) || mutex_is_locked(&rng_mutex)) counter++;
  if (mutex_trylock(&rng_mutex)) mutex_unlock(&rng_mutex);
  if (!mutex_lock_interruptible(&rng_mutex)) mutex_unlock(&rng_mutex);
  if (ida_alloc(&tiny_ida, GFP_KERNEL) == 0) ida_free(&tiny_ida, 0);
  complete(&tiny_done);
  counter += wait_for_completion_killable(&tiny_done);
  reinit_completion(&tiny_done);
  queue_work(NULL, &tiny_work);
  wait_for_completion(&tiny_done);
  schedule_work(&tiny_work);
  flush_work(&tiny_work);
  cancel_work_sync(&tiny_work);
  thread = kthread_run(thread_fn, NULL, "tiny");
  if (!IS_ERR(thread)) {
    wake_up_process(thread);
    counter += kthread_stop(thread);
  }
  if (need_resched() || signal_pending(current)) counter++;
  cond_resched();
  cpu_relax();
  msleep(1);
  usleep_range(10, 20);
  udelay(1);
  schedule_timeout_uninterruptible(1);
  if (completion_done(&tiny_done) || time_before(before, jiffies)) counter++;
}

static ssize_t does_store(struct device *dev, struct device_attribute *attr, const char *buf,
                          size_t len) {
  u16 number;

  if (sysfs_streq(buf, "all"))
    do_all();
  else if (sysfs_streq(buf, "race"))
    pair[0]++;  // plain, and under no lock
  else if (sysfs_streq(buf, "missing"))
    tiny_missing();
  else if (sysfs_streq(buf, "warn"))
    return WARN_ON(len == 5) ? (ssize_t)len : -EINVAL;
  else if (sysfs_streq(buf, "bug"))
    BUG_ON(len == 4);
  else if (sysfs_streq(buf, "null"))
    // cppcheck-suppress nullPointer
    return *(volatile int *)NULL;
  else if (kstrtou16(buf, 0, &number))
    return -EINVAL;
  else
    counter = number;
  return len;
}

static ssize_t does_show(struct device *dev, struct device_attribute *attr, char *buf) {
  return sysfs_emit(buf, "%d %u\n", reads, counter);
}
static DEVICE_ATTR_RW(does);

static struct attribute *tiny_attrs[] = {&dev_attr_does.attr, NULL};
ATTRIBUTE_GROUPS(tiny);
static const struct file_operations tiny_fops = {
    .owner = THIS_MODULE,
    .open = tiny_open,
    .read = tiny_read,
};
static struct miscdevice tiny_misc = {
    .name = "tiny",
    .fops = &tiny_fops,
    .groups = tiny_groups,
};

static int __init tiny_init(void) {
  rng_buffer = kmalloc(BUFFER_SIZE, GFP_KERNEL);
  if (!rng_buffer) return -ENOMEM;
  INIT_WORK(&tiny_work, work_fn);
  pr_info("tiny: %d\n", reads);
  return misc_register(&tiny_misc);
}
fs_initcall(tiny_init);

MODULE_LICENSE("GPL");
