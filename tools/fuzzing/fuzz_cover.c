// SPDX-License-Identifier: GPL-2.0-or-later
//
// Greedy cover; see fuzz_cover.h.

#include "tools/fuzzing/fuzz_cover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/text.h"

// What libFuzzer's features stay below.
enum { FEATURES_MAX = 1 << 21, INPUTS_MAX = 1 << 20 };

static const char *next_line(const char *at) {
  at += strcspn(at, "\n");
  return at + (*at == '\n');
}

// The numbers up to the end of the line; those that are too large are left out.
static void read_features(const char *at, struct fuzz_cover_input *input) {
  u32 cap = 0;

  // A file is told once; should it not be so, the last time holds.
  free(input->features);
  input->features = NULL;
  input->num_features = 0;
  while (*at == ' ') {
    char *end;
    unsigned long feature = strtoul(at + 1, &end, 10);

    if (end == at + 1) break;
    at = end;
    if (feature >= FEATURES_MAX) continue;
    if (input->num_features == cap) {
      cap = cap ? 2 * cap : 64;
      input->features = xrealloc(input->features, cap * sizeof(*input->features));
    }
    input->features[input->num_features++] = (u32)feature;
  }
}

static const char *read_names(const char *text, struct fuzz_cover *out) {
  u64 count = strtoull(text, NULL, 10);

  text = next_line(next_line(text));
  if (count > INPUTS_MAX) count = 0;
  out->input = xcalloc(count ? count : 1, sizeof(*out->input));
  for (; out->count < count && *text; text = next_line(text)) {
    size_t len = strcspn(text, "\n");
    const char *name = text + len;

    while (name > text && name[-1] != '/') name--;
    out->input[out->count++].name = xasprintf("%.*s", (int)(text + len - name), name);
  }
  return text;
}

void fuzz_cover_read(const char *text, struct fuzz_cover *out) {
  *out = (struct fuzz_cover){0};
  for (text = read_names(text, out); *text; text = next_line(text)) {
    u32 index;
    u64 len;
    int used = 0;

    if (sscanf(text, "STARTED %" SCNu32 " %" SCNu64, &index, &len) == 2 && index < out->count)
      out->input[index].len = len;
    if (sscanf(text, "FT %" SCNu32 "%n", &index, &used) == 1 && index < out->count)
      read_features(text + used, &out->input[index]);
  }
}

void fuzz_cover_free(struct fuzz_cover *cover) {
  for (u32 i = 0; i < cover->count; i++) {
    free(cover->input[i].name);
    free(cover->input[i].features);
  }
  free(cover->input);
  *cover = (struct fuzz_cover){0};
}

static u32 adds(const struct fuzz_cover_input *input, const bool *reached) {
  u32 count = 0;

  for (u32 i = 0; i < input->num_features; i++) count += !reached[input->features[i]];
  return count;
}

static bool is_better(const struct fuzz_cover_input *a, u32 a_adds,
                      const struct fuzz_cover_input *b, u32 b_adds) {
  if (a_adds != b_adds) return a_adds > b_adds;
  if (a->len != b->len) return a->len < b->len;
  return strcmp(a->name, b->name) < 0;
}

u32 fuzz_cover_choose(struct fuzz_cover *cover, u32 num_max, u64 bytes_max) {
  bool *reached = xcalloc(FEATURES_MAX, sizeof(*reached));
  u64 bytes = 0;
  u32 num;

  for (num = 0; num < num_max; num++) {
    struct fuzz_cover_input *best = NULL;
    u32 best_adds = 0;

    for (u32 i = 0; i < cover->count; i++) {
      struct fuzz_cover_input *input = &cover->input[i];
      u32 input_adds;

      if (input->chosen || bytes + input->len > bytes_max) continue;
      input_adds = adds(input, reached);
      if (!input_adds || (best && !is_better(input, input_adds, best, best_adds))) continue;
      best = input;
      best_adds = input_adds;
    }
    if (!best) break;
    best->chosen = true;
    bytes += best->len;
    for (u32 i = 0; i < best->num_features; i++) reached[best->features[i]] = true;
  }
  free(reached);
  return num;
}
