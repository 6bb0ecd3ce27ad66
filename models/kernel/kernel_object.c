// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_object.h.
#include "models/kernel/kernel_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random_calls.h"
#include "models/kernel/kernel_where.h"
#include "sim/checker.h"

typedef void (*function)(void);

// Settings of the process, not state of a run.
struct kernel_object *kernel_subject_now;
static struct kernel_object *loaded;  // the last one

static function find_call(const char *name) {
  static const struct {
    const char *name;
    function fn;
  } calls[] = {
#define X(result, name_, arguments) {"seedbed_k_" #name_, (function)seedbed_k_##name_},
      KERNEL_CALLS(X) KERNEL_RANDOM_CALLS(X)
#undef X
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(calls); i++)
    if (strcmp(calls[i].name, name) == 0) return calls[i].fn;
  // Of code without hooks: what the compiler itself calls.
  if (strcmp(name, "memcpy") == 0) return (function)memcpy;
  if (strcmp(name, "memmove") == 0) return (function)memmove;
  if (strcmp(name, "memset") == 0) return (function)memset;
  return sim_hook_named(name);
}

static void on_unbound(const char *name) {
  static const struct sim_oracle oracle = {"kernel-unbound", SIM_OURS,
                                           "what the tree's files call, seedbed has",
                                           "models/kernel/kernel_calls.h"};

  sim_fail(&oracle, name, "the tree's code calls %s, which models/kernel/shim does not have", name);
}

static bool bind(struct kernel_object *object) {
  const struct kernel_inside *inside = &object->inside;

  size_t size = (inside->num_imports + 1) * sizeof(*object->unbound);

  object->unbound = malloc(size);  // tidy-allow(banned): host memory, outside of any world
  if (!object->unbound) return false;
  *inside->unbound = on_unbound;
  for (u64 i = 0; i < inside->num_imports; i++) {
    function fn = find_call(inside->imports[i].name);

    if (fn)
      *inside->imports[i].slot = fn;
    else
      object->unbound[object->num_unbound++] = inside->imports[i].name;
  }
  return true;
}

struct kernel_object *kernel_object_load(const char *path, char *err, size_t len) {
  const struct kernel_inside *(*inside_of)(void);
  struct kernel_object *object;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  if (!handle) {
    snprintf(err, len, "%s", dlerror());
    return NULL;
  }
  *(void **)&inside_of = dlsym(handle, "seedbed_inside");
  if (!inside_of || inside_of()->version != KERNEL_INSIDE_VERSION) {
    snprintf(err, len, "%s: made for another seedbed", path);
    return NULL;
  }
  for (object = loaded; object; object = object->before)
    if (object->handle == handle) return object;
  object = calloc(1, sizeof(*object));  // tidy-allow(banned): as above
  if (!object) {
    snprintf(err, len, "out of memory");
    return NULL;
  }
  object->handle = handle;
  object->inside = *inside_of();
  object->module = (struct sim_module){
      .site = object->inside.site,
      .num_sites = (u32)object->inside.num_sites,
      .hooks = object->inside.hooks,
      .data = object->inside.data,
      .variable = kernel_where_variable,
      .data_len = (size_t)(object->inside.data_end - object->inside.data),
      .room = (size_t)(object->inside.room_end - object->inside.data),
  };
  if (!bind(object)) {
    snprintf(err, len, "out of memory");
    return NULL;
  }
  kernel_where_read(object, path, "seedbed_inside", (u64)(uintptr_t)inside_of);
  object->before = loaded;
  loaded = object;
  return object;
}

void kernel_subject_set(struct kernel_object *object) {
  kernel_subject_now = object;
  sim_module_use(object ? &object->module : NULL);
}
