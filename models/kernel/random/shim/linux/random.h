// SPDX-License-Identifier: GPL-2.0-or-later
//
// What random.c exports, in words of its own header.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_RANDOM_H_
#define SEEDBED_SHIM_RANDOM_LINUX_RANDOM_H_

#include <asm/archrandom.h>
#include <linux/notifier.h>
#include <linux/types.h>
#include <linux/seedbed_object.h>

#include <uapi/linux/random.h>

struct notifier_block;
void add_device_randomness(const void *buf, size_t len);
void add_bootloader_randomness(const void *buf, size_t len);
void add_input_randomness(unsigned int type, unsigned int code, unsigned int value);
void add_interrupt_randomness(int irq);
#if SEEDBED_LINUX < 6003
void add_hwgenerator_randomness(const void *buf, size_t len, size_t entropy);
#else
void add_hwgenerator_randomness(const void *buf, size_t len, size_t entropy, bool sleep_after);
#endif
void add_vmfork_randomness(const void *unique_vm_id, size_t len);
int register_random_vmfork_notifier(struct notifier_block *nb);
int unregister_random_vmfork_notifier(struct notifier_block *nb);
void get_random_bytes(void *buf, size_t len);
u8 get_random_u8(void);
u16 get_random_u16(void);
u32 get_random_u32(void);
u64 get_random_u64(void);
u32 __get_random_u32_below(u32 ceil);
void random_init_early(const char *command_line);
void random_init(void);
bool rng_is_initialized(void);
int wait_for_random_bytes(void);
int execute_with_initialized_rng(struct notifier_block *nb);
int random_prepare_cpu(unsigned int cpu);
int random_online_cpu(unsigned int cpu);
#define add_latent_entropy() ((void)0)
extern const struct file_operations random_fops, urandom_fops;

// The cycle counter. Who tries for jitter asks 8192 times: where none is to be found, the counter
// is looked at afresh only at each 32nd of these. The world says how often its answer may be given
// again; whoever else asks gets an answer of his own.
static unsigned long seedbed_entropy_last;
static unsigned int seedbed_entropy_again;
static noinline __attribute__((no_sanitize("thread"))) unsigned long seedbed_entropy(int tries) {
  unsigned int once;

  if (!tries) return seedbed_k_random_get_entropy(&once);
  if (!seedbed_entropy_again--)
    seedbed_entropy_last = seedbed_k_random_get_entropy(&seedbed_entropy_again);
  return seedbed_entropy_last;
}
#define random_get_entropy() seedbed_entropy(!__builtin_strcmp(__func__, "try_to_generate_entropy"))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_RANDOM_H_
