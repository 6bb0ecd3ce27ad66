// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whatever is sent as a decision file is run or refused, and never crashes the command: a
// valid one is changed at random, every other time quoted as in a mail, loaded as `replay FILE`
// does, and run if it loads.
// 5,000 files; a million if SEEDBED_NIGHTLY is set.

#include "tools/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/prng.h"
#include "tools/registry.h"

static struct sim_stream stream;

static u32 below(u32 n) { return sim_stream_below(&stream, n); }

// ---- A valid file ----

static char *make_valid(size_t *out_len) {
  const struct sim_scenario *scenario = registry_find("test-lost");
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .strategy = SIM_STRATEGY_RANDOM};
  struct sim_world *world = sim_world_new();
  struct sim_decision_file file;
  struct sim_result result;
  struct run_spec spec;
  char *text, err[256];

  run_spec_init(&spec, scenario);
  assert_true(sim_params_set(spec.params, "rounds", "6", err, sizeof(err)));
  assert_true(sim_params_set_bug(spec.params, "901"));
  assert_int_equal(sim_world_setup(world, scenario, spec.params, NULL), SIM_OK);
  do {
    input.seed++;
    sim_world_run(world, &input, &result);
  } while (!result.num_failures);
  run_decision_file(&spec, &input.seed, result.failures[0].key, result.digest, &file);
  sim_decisions_from_world(&file.list, world);
  text = run_decision_text(&file, out_len);
  sim_decision_file_free(&file);
  sim_world_free(world);
  run_spec_free(&spec);
  return text;
}

// ---- Changing it ----

// Behind the words that make it a decision file.
enum { KEEP = 18 };

static void replace_bytes(struct text *text, size_t at, size_t gone, const char *with,
                          size_t with_len) {
  struct text next = {0};

  text_add_bytes(&next, text->s, at);
  text_add_bytes(&next, with, with_len);
  text_add_bytes(&next, text->s + at + gone, text->len - at - gone);
  text_free(text);
  *text = next;
}

// A line's start and length, its newline included; not the first line.
static void pick_line(const struct text *text, size_t *out_at, size_t *out_len) {
  size_t at = KEEP + below((u32)(text->len - KEEP));

  while (at > KEEP && text->s[at - 1] != '\n') at--;
  *out_at = at;
  *out_len = strcspn(text->s + at, "\n");
  if (text->s[at + *out_len]) (*out_len)++;
}

static void change(struct text *text) {
  static const char *const words[] = {
      "-",
      ">",
      "0",
      "18446744073709551615",
      "99999999999999999999",
      "0x",
      "\n",
      "\n\n",
      " ",
      "set ",
      "draws ",
      "bug 901\n",
      "set num_cpus 8\n",
      "set hz 1000\n",
      "seed 1\n",
      ">adder#1",
      ">cpu0",
      "4294967295",
      "\t",
      "\r\n",
      "#",
      "=",
      "%s%n",
      "scenario test-marks\n",
  };
  size_t at, len;
  char byte;
  const char *word;

  if (text->len <= KEEP + 1) return;
  at = KEEP + below((u32)(text->len - KEEP));
  switch (below(7)) {
    case 0:  // one bit
      text->s[at] = (char)(text->s[at] ^ 1 << below(8));
      break;
    case 1:  // another byte
      byte = (char)below(256);
      replace_bytes(text, at, 1, &byte, 1);
      break;
    case 2:  // a word put in
      word = words[below(SIM_ARRAY_SIZE(words))];
      replace_bytes(text, at, 0, word, strlen(word));
      break;
    case 3:  // a stretch taken out
      len = 1 + below(20);
      replace_bytes(text, at, len < text->len - at ? len : text->len - at, "", 0);
      break;
    case 4: {  // a line twice
      char *line;

      pick_line(text, &at, &len);
      line = xasprintf("%.*s", (int)len, text->s + at);
      replace_bytes(text, at, 0, line, strlen(line));
      free(line);
      break;
    }
    case 5:  // a line less
      pick_line(text, &at, &len);
      replace_bytes(text, at, len, "", 0);
      break;
    default: {  // a word of another kind in place of one
      size_t end = at;

      while (at > KEEP && !strchr(" \n", text->s[at - 1])) at--;
      while (end < text->len && !strchr(" \n", text->s[end])) end++;
      word = words[below(SIM_ARRAY_SIZE(words))];
      replace_bytes(text, at, end - at, word, strlen(word));
      break;
    }
  }
}

static void quote(struct text *text) {
  struct text quoted = {0};
  size_t at, len;

  text_add(&quoted, "Hello,\n");
  for (at = 0; at < text->len; at += len) {
    const char *newline = memchr(text->s + at, '\n', text->len - at);

    len = newline ? (size_t)(newline - text->s) - at + 1 : text->len - at;
    text_add(&quoted, "> ");
    text_add_bytes(&quoted, text->s + at, len - (newline != NULL));
    text_add(&quoted, newline ? "\r\n" : "");
  }
  text_add(&quoted, "-- \nMe\n");
  text_free(text);
  *text = quoted;
}

// ---- The test ----

// Runs it in a world that is kept as long as the settings are those of the last one.
static struct {
  struct sim_world *world;
  struct input input;
  struct text options;
} kept;

static void forget(void) {
  if (!kept.world) return;
  sim_world_free(kept.world);
  kept.world = NULL;
  input_free(&kept.input);
  text_free(&kept.options);
}

static void run(struct input *input) {
  struct text options = {0};
  struct sim_result result;
  bool fresh;

  text_add(&options, input->spec.scenario->name);
  run_spec_add_options(&input->spec, &options);
  fresh = !kept.world || strcmp(text_str(&options), text_str(&kept.options)) != 0;
  if (fresh) {
    forget();
    kept.world = sim_world_new();
    assert_non_null(kept.world);
    // The world goes on using the parameters.
    kept.input = *input;
    kept.options = options;
    if (sim_world_setup(kept.world, input->spec.scenario, input->spec.params, &result) != SIM_OK) {
      forget();
      return;
    }
  }
  sim_world_run(kept.world, &input->run, &result);
  if (fresh) return;
  text_free(&options);
  input_free(input);
}

static void changed_files_never_crash(void **state) {
  u32 count = getenv("SEEDBED_NIGHTLY") ? 1000000 : 5000, i, j, loaded = 0;
  const char *temp = getenv("TEST_TMPDIR");
  char *path = xasprintf("%s/changed-%ld", temp ? temp : "/tmp", (long)getpid());
  size_t valid_len;
  char *valid = make_valid(&valid_len);
  struct input_arguments arguments = {.arg = {path}, .num_args = 1};
  struct options options;
  int quiet = open("/dev/null", O_WRONLY), err = dup(2);

  options_init(&options, "replay");
  sim_stream_seed(&stream, 1);
  for (i = 0; i < count; i++) {
    u32 changes = below(4);
    struct text text = {0};
    struct input input;
    FILE *out = fopen(path, "w");
    int status;

    text_add_bytes(&text, valid, valid_len);
    for (j = 0; j < changes; j++) change(&text);
    if (i % 2) quote(&text);
    assert_non_null(out);
    fwrite(text.s, 1, text.len, out);
    fclose(out);
    text_free(&text);
    // What is wrong with each is said on stderr.
    dup2(quiet, 2);
    status = input_load(&options, &arguments, &input);
    dup2(err, 2);
    if (status != SIM_OK && status != SIM_MALFORMED) fail_msg("file %u: status %d", i, status);
    if (status != SIM_OK) continue;
    loaded++;
    run(&input);
  }
  // Both ends were tried: files that load, and files that do not.
  assert_in_range(loaded, count / 5, count - count / 5);
  forget();
  unlink(path);
  close(quiet);
  close(err);
  free(path);
  free(valid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changed_files_never_crash),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
