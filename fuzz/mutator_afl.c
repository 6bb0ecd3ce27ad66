// SPDX-License-Identifier: GPL-2.0-or-later
//
// The mutator of mutator.c for AFL++, which loads it into its own process
// (AFL_CUSTOM_MUTATOR_LIBRARY). The target runs elsewhere, so what a run draws is not known here:
// classes are those of the description (describe.h) that SEEDBED_FUZZ_DESCRIPTION=FILE names, and
// those of the input's own entries. Without a description: the latter, and 1 MiB.
//
// An input is mutated a few times before the next one's turn: AFL++'s own number, tens of thousands
// for the calm run, since that is fast, leaves the inputs that were found waiting.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_input.h"
#include "fuzz/target.h"
#include "sim/bytes.h"
#include "sim/prng.h"

// AFL++'s own limit of an input, MAX_FILE.
enum { LEN_MAX = 1 << 20, DRAWS_UNKNOWN = 8, TIMES = 64 };

struct mutator {
  struct sim_stream rng;
  u32 described[SIM_BYTES_CLASSES];
  size_t len_max;
  u8 out[LEN_MAX];
};

// Of the input that is changed now. Afl-fuzz has one thread and one mutator.
static u32 draws[SIM_BYTES_CLASSES];

const u32 *fuzz_draws(void) { return draws; }

// AFL++'s interface: docs/custom_mutators.md there.
void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
u32 afl_custom_fuzz_count(void *data, const u8 *buf, size_t buf_size);
size_t afl_custom_fuzz(void *data, u8 *buf, size_t buf_size, u8 **out_buf, u8 *add_buf,
                       size_t add_buf_size, size_t max_size);

static void read_description(struct mutator *m, const char *path) {
  FILE *file = fopen(path, "r");
  char line[64];
  unsigned a, b;

  if (!file) {
    perror(path);
    exit(SIM_OURS);
  }
  while (fgets(line, sizeof(line), file)) {
    if (sscanf(line, "max_len %u", &a) == 1 && a && a <= LEN_MAX) m->len_max = a;
    if (sscanf(line, "class %u %u", &a, &b) == 2 && a < SIM_BYTES_CLASSES) m->described[a] = b;
  }
  fclose(file);
}

void *afl_custom_init(void *afl, unsigned seed) {
  struct mutator *m = calloc(1, sizeof(*m));
  const char *path = getenv("SEEDBED_FUZZ_DESCRIPTION");

  if (!m) return NULL;
  sim_stream_seed(&m->rng, seed);
  m->len_max = LEN_MAX;
  if (path) read_description(m, path);
  return m;
}

void afl_custom_deinit(void *data) { free(data); }

u32 afl_custom_fuzz_count(void *data, const u8 *buf, size_t buf_size) { return TIMES; }

static void know_input(const struct mutator *m, const u8 *buf, size_t len) {
  memcpy(draws, m->described, sizeof(draws));
  for (size_t at = fuzz_head_len(fuzz_head(buf, len)); at + SIM_BYTES_ENTRY_LEN <= len;
       at += SIM_BYTES_ENTRY_LEN)
    if (!draws[buf[at]]) draws[buf[at]] = DRAWS_UNKNOWN;
}

size_t afl_custom_fuzz(void *data, u8 *buf, size_t buf_size, u8 **out_buf, u8 *add_buf,
                       size_t add_buf_size, size_t max_size) {
  struct mutator *m = data;
  size_t max = max_size < m->len_max ? max_size : m->len_max;
  size_t len = buf_size < max ? buf_size : max, crossed = 0;
  unsigned seed = sim_stream_below(&m->rng, UINT32_MAX);

  know_input(m, buf, len);
  *out_buf = m->out;
  if (add_buf)
    crossed = LLVMFuzzerCustomCrossOver(buf, len, add_buf, add_buf_size, m->out, max, seed);
  if (crossed) return crossed;
  memcpy(m->out, buf, len);
  return LLVMFuzzerCustomMutator(m->out, len, max, seed);
}
