// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of seedbed that is linked into a kernel object: compiled with the tree's headers, so
// that it knows the tree's structures, and without access hooks. See kernel_inside.h. Sections:
// initcalls; the misc device; devices; the hwrng core; the table.
#include "models/kernel/kernel_inside.h"

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/hw_random.h>
#include <linux/init.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "models/kernel/inside/bus.h"

static void *world;

// ---- Initcalls ----

SEEDBED_SECTION(const struct seedbed_static, seedbed_statics);
SEEDBED_SECTION(const struct seedbed_initcall, seedbed_initcalls);
enum { LEVELS = 8 };

static int start(const char **out_name) {
  const struct seedbed_static *s;
  const struct seedbed_initcall *call;
  int level, err;

  for (s = __start_seedbed_statics; s < __stop_seedbed_statics; s++) {
    if (s->kind == seedbed_static_mutex)
      seedbed_k_mutex_init(s->object, s->name);
    else
      seedbed_k_init_completion(s->object, s->name);
  }
  for (level = 0; level < LEVELS; level++)
    for (call = __start_seedbed_initcalls; call < __stop_seedbed_initcalls; call++) {
      if (call->level != level) continue;
      *out_name = call->name;
      err = call->init();
      if (err) return err;
    }
  return 0;
}

// ---- The misc device ----

static struct miscdevice *the_misc;

int misc_register(struct miscdevice *misc) {
  if (the_misc) return -EBUSY;
  the_misc = misc;
  return 0;
}

void misc_deregister(struct miscdevice *misc) { the_misc = NULL; }

static int open_file(void *at, int nonblock, int write) {
  struct file *file = at;
  static struct inode inode;

  if (!the_misc) return -ENODEV;
  *file = (struct file){
      .f_mode = FMODE_READ | (write ? FMODE_WRITE : 0),
      .f_flags = (write ? O_RDWR : O_RDONLY) | (nonblock ? O_NONBLOCK : 0),
  };
  return the_misc->fops->open ? the_misc->fops->open(&inode, file) : 0;
}

static long read_file(void *at, void *buf, unsigned long size) {
  struct file *file = at;

  return the_misc->fops->read(file, buf, size, &file->f_pos);
}

static void close_file(void *file) {
  static struct inode inode;

  if (the_misc->fops->release) the_misc->fops->release(&inode, file);
}

static struct device_attribute *find_attribute(const char *name) {
  const struct attribute_group **group;
  struct attribute **attr;

  if (!the_misc || !the_misc->groups) return NULL;
  for (group = the_misc->groups; *group; group++)
    for (attr = (*group)->attrs; *attr; attr++)
      if (seedbed_k_strcmp((*attr)->name, name) == 0)
        return container_of(*attr, struct device_attribute, attr);
  return NULL;
}

static long attr_show(const char *name, char *buf) {
  struct device_attribute *attr = find_attribute(name);

  return attr && attr->show ? attr->show(the_misc->this_device, attr, buf) : -ENOENT;
}

static long attr_store(const char *name, const char *buf, unsigned long len) {
  struct device_attribute *attr = find_attribute(name);

  return attr && attr->store ? attr->store(the_misc->this_device, attr, buf, len) : -ENOENT;
}

// ---- Devices ----

// A device and the bus it is on.
struct place {
  const struct seedbed_bus *bus;
  char device[] __attribute__((aligned(16)));
};

static const struct seedbed_bus *const buses[] = {&seedbed_platform_bus, &seedbed_virtio_bus};

static unsigned long device_size(void) {
  unsigned long size = 0;
  int i;

  for (i = 0; i < ARRAY_SIZE(buses); i++)
    if (buses[i]->device_size > size) size = buses[i]->device_size;
  return size;
}

static int has_driver(const char *id) {
  int i;

  for (i = 0; i < ARRAY_SIZE(buses); i++)
    if (buses[i]->find_driver(id)) return 1;
  return 0;
}

static void *match(void *at, const char *name, const char *id) {
  struct place *place = at;
  int i;

  for (i = 0; i < ARRAY_SIZE(buses); i++) {
    const void *driver = buses[i]->find_driver(id);

    if (!driver) continue;
    place->bus = buses[i];
    return place->bus->add(place->device, driver, name, id);
  }
  return NULL;
}

static int probe(void *at) {
  return ((struct place *)at)->bus->probe(((struct place *)at)->device);
}

static void remove(void *at) { ((struct place *)at)->bus->remove(((struct place *)at)->device); }

static int suspend(void *at) {
  return ((struct place *)at)->bus->suspend(((struct place *)at)->device);
}

static int resume(void *at) {
  return ((struct place *)at)->bus->resume(((struct place *)at)->device);
}

static void virtio_used(void *at, unsigned int len) {
  ((struct place *)at)->bus->used(((struct place *)at)->device, len);
}

// ---- The hwrng core ----

static void hwrng_get(const void *at, struct kernel_hwrng *out) {
  const struct hwrng *rng = at;

  *out = (struct kernel_hwrng){
      .name = rng->name,
      .init = (int (*)(void *))rng->init,
      .cleanup = (void (*)(void *))rng->cleanup,
      .read = (int (*)(void *, void *, unsigned long, bool))rng->read,
      .quality = rng->quality,
  };
}

static void hwrng_set(void *at, const struct kernel_hwrng *in) {
  struct hwrng *rng = at;

  rng->name = in->name;
  rng->init = (int (*)(struct hwrng *))in->init;
  rng->cleanup = (void (*)(struct hwrng *))in->cleanup;
  rng->read = (int (*)(struct hwrng *, void *, size_t, bool))in->read;
  rng->quality = in->quality;
}

static int hwrng_refs(const void *rng) { return ((const struct hwrng *)rng)->ref.refcount.refs; }

static int register_rng(void *rng) { return hwrng_register(rng); }
static void unregister_rng(void *rng) { hwrng_unregister(rng); }
static int devm_register_rng(void *dev, void *rng) { return devm_hwrng_register(dev, rng); }
static void devm_unregister_rng(void *dev, void *rng) { devm_hwrng_unregister(dev, rng); }

// ---- The table ----

// By the script that links the object (tools/kernel).
extern const struct kernel_import seedbed_imports[] __attribute__((visibility("hidden")));
extern const unsigned long seedbed_num_imports __attribute__((visibility("hidden")));
extern void (*seedbed_unbound)(const char *name) __attribute__((visibility("hidden")));
extern char seedbed_data[] __attribute__((visibility("hidden")));
extern char seedbed_data_end[] __attribute__((visibility("hidden")));
extern char seedbed_room_end[] __attribute__((visibility("hidden")));
SEEDBED_SECTION(struct sim_site, sim_sites);
SEEDBED_SECTION(const char, sim_hook_tables);

const struct kernel_inside *seedbed_inside(void) __attribute__((visibility("default")));
const struct kernel_inside *seedbed_inside(void) {
  static struct kernel_inside inside;

  inside = (struct kernel_inside){
      .version = KERNEL_INSIDE_VERSION,
      .imports = seedbed_imports,
      .num_imports = seedbed_num_imports,
      .unbound = &seedbed_unbound,
      .site = __start_sim_sites,
      .num_sites = __stop_sim_sites - __start_sim_sites,
      .hooks = __start_sim_hook_tables,
      .data = seedbed_data,
      .data_end = seedbed_data_end,
      .room_end = seedbed_room_end,
      .world = &world,
      .start = start,
      .file_size = sizeof(struct file),
      .open = open_file,
      .read = read_file,
      .close = close_file,
      .attr_show = attr_show,
      .attr_store = attr_store,
      .pdev_size = sizeof(struct place) + device_size(),
      .match = match,
      .probe = probe,
      .remove = remove,
      .suspend = suspend,
      .resume = resume,
      .has_driver = has_driver,
      .virtio_used = virtio_used,
      .hwrng_size = sizeof(struct hwrng),
      .hwrng_get = hwrng_get,
      .hwrng_set = hwrng_set,
      .hwrng_refs = hwrng_refs,
      .hwrng_register = register_rng,
      .hwrng_unregister = unregister_rng,
      .devm_hwrng_register = devm_register_rng,
      .devm_hwrng_unregister = devm_unregister_rng,
  };
  return &inside;
}
