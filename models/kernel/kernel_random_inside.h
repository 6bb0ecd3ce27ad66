// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a kernel object offers of drivers/char/random.c: the table that
// models/kernel/inside/random.c fills in, which is compiled as one with it and so reaches its
// statics by name. There is one for each HZ, as HZ is a constant of the code. Of the compiler's
// own types only.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_INSIDE_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_INSIDE_H_

// Counts changes of this file and of kernel_random_calls.h.
enum { KERNEL_RANDOM_VERSION = 3, KERNEL_RANDOM_BATCHES = 4 };

struct kernel_random {
  unsigned int version;
  unsigned int hz;
  unsigned int linux_version;  // 1000 * major + minor
  // The template of per-CPU variables.
  char *percpu, *percpu_end;

  // Places of statics. Those of a CPU are in the template.
  void *base_lock;
  unsigned char *base_key;  // 32 bytes
  unsigned long *base_generation;
  unsigned long *page_generation;  // of the vDSO's page; NULL: this version has none
  unsigned char *page_is_ready;
  void *pool_lock;
  void *pool_hash;  // BLAKE2s state
  unsigned int *init_bits;
  unsigned int *crng_init;
  _Bool *crng_is_ready;    // the static key
  unsigned char *cpu_key;  // 32 bytes
  unsigned long *cpu_generation;
  const void *cpu_lock;
  unsigned long *fast_pool;  // 4 words
  unsigned int *fast_count;
  void *fast_timer;
  struct {
    unsigned char *entropy;  // 96 bytes
    unsigned int *position;
    unsigned long *generation;
  } batch[KERNEL_RANDOM_BATCHES];  // u8, u16, u32, u64

  // BLAKE2s and ChaCha of the tree.
  void (*blake2s_update)(void *state, const void *in, unsigned long len);
  void (*blake2s_final)(void *state, void *out);
  void (*chacha_block)(void *state, void *stream, int rounds);
  // The key (32 bytes) under which a state was begun, if nothing was compressed yet; else NULL.
  const unsigned char *(*blake2s_key)(const void *state);
  unsigned int (*blake2s_buffered)(const void *state);
  // How many samples the jitter of this timer has had, and how many make a bit.
  void (*jitter)(const void *timer, unsigned int *out_samples, unsigned int *out_per_bit);

  // Functions of that name; in the contexts of models/crng/crng.h.
  void (*set_queues)(void *wq);
  int (*set_param)(const char *name, char *value);  // -ENOENT: none of that name
  int (*ready)(void);
  void (*reseed)(void);
  void (*random_init_early)(const char *command_line);
  void (*random_init)(void);
  int (*wait_for_random_bytes)(void);
  long (*getrandom)(char *buf, unsigned long len, unsigned int flags);
  void (*get_random_bytes)(void *buf, unsigned long len);
  unsigned long (*get_random_batched)(unsigned int kind);
  void (*add_interrupt_randomness)(int irq);
  void (*add_disk_randomness)(void *state, unsigned int num);
  void (*add_input_randomness)(unsigned int type, unsigned int code, unsigned int value);
  void (*add_device_randomness)(const void *buf, unsigned long len);
  void (*add_bootloader_randomness)(const void *buf, unsigned long len);
  void (*add_hwgenerator_randomness)(const void *buf, unsigned long len, unsigned long bits,
                                     int sleep_after);
  // RNDADDENTROPY, by a process that may: 0 or an error.
  long (*add_entropy)(const void *buf, unsigned long len, int bits);
  // Notifiers have the three members of struct sim_notifier. NULL: not of this version.
  int (*execute_with_initialized_rng)(void *nb);
  int (*register_vmfork_notifier)(void *nb);
  void (*add_vmfork_randomness)(const void *id, unsigned long len);
  int (*pm_notification)(unsigned long action);  // what the PM core calls
  int (*prepare_cpu)(unsigned int cpu);
  int (*online_cpu)(unsigned int cpu);
};

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_INSIDE_H_
