// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parameters: what they accept, what they refuse, and that a refusal changes nothing.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/config.h"
#include "sim/scenario.h"

static const char *const policies[] = {"relax", "msleep1000", "yield", NULL};
static const struct sim_param params_table[] = {
    {"readers", 2, 1, 9, "tasks", "readers that run", NULL},
    {"policy", 1, 0, 0, "", "how the thread waits", policies},
    {"offset", -5, INT64_MIN, INT64_MAX, "ns", "any integer", NULL},
    {"num_cpus", 1, 0, 0, NULL, NULL, NULL},
    {"weak", 0, 0, 0, "", "no value but this", NULL},
    {"skew_ns", 500, 100, 900, "ns", "narrower here", NULL},
    {NULL},
};
static const char *const abba[] = {"lock-order", "deadlock", NULL};
static const char *const late[] = {"deadlock", NULL};
static const struct sim_suspect suspects[] = {
    {"abba", "takes them in two orders", abba}, {"late", "is late", late}, {NULL}};
static const struct sim_bug bugs[] = {
    {"55", "stops late"}, {"lost", "forgets"}, {"needy", "needs", "policy", "yield"}, {NULL}};
static const struct sim_scenario scenario = {
    .name = "case", .claim = "-", .params = params_table, .suspects = suspects, .bugs = bugs};
// With a twin, so that it has every parameter of the machine.
static const struct sim_scenario bare = {.name = "bare", .claim = "-", .hooked = &bare};

// The unit asks the running world for nothing but its parameters.
struct sim_world *sim_w;
static const struct sim_params *current;
const struct sim_params *sim_world_params(const struct sim_world *w) { return current; }

static s64 get(const struct sim_params *p, const char *key) {
  s64 value = 4242;
  assert_true(sim_params_get(p, key, &value));
  return value;
}

// The machine's table names each field of struct sim_config and its default reaches it.
static void machine_table(void **state) {
  struct sim_config def, made;
  struct sim_params *p = sim_params_new(&bare);
  sim_config_default(&def);
  sim_params_to_config(p, &made);
  assert_memory_equal(&def, &made, sizeof(def));
  assert_int_equal(def.num_cpus, 2);
  assert_int_equal(def.hz, 250);
  assert_int_equal(def.wake_latency_ns, 15000);
  assert_int_equal(def.hung_task_ns, 120 * SIM_NSEC_PER_SEC);
  assert_true(def.preempt);
  assert_false(def.weak);
  assert_false(def.rt);
  for (u32 i = 0; i < sim_machine_params_count(); i++) {
    const struct sim_param *m = sim_machine_param(i);
    assert_non_null(m->line);
    assert_int_equal(get(p, m->name), m->def);
  }
  assert_int_equal(sim_machine_params_count(), 23);
  sim_params_free(p);
}

// Each field is reached by its name, and no other field moves.
static void machine_fields_are_separate(void **state) {
  for (u32 i = 0; i < sim_machine_params_count(); i++) {
    const struct sim_param *m = sim_machine_param(i);
    struct sim_params *p = sim_params_new(&bare);
    struct sim_config def, made;
    char value[32], err[200];
    s64 wanted = m->def == m->max ? m->min : m->max;
    snprintf(value, sizeof(value), "%lld", (long long)wanted);
    assert_true(sim_params_set(p, m->name, value, err, sizeof(err)));
    sim_config_default(&def);
    sim_params_to_config(p, &made);
    u32 differing = 0;
#define X(field, type, d, min, max, unit, line) \
  if (made.field != def.field) {                \
    assert_string_equal(m->name, #field);       \
    assert_int_equal((s64)made.field, wanted);  \
    differing++;                                \
  }
    SIM_CONFIG_TABLE(X)
#undef X
    assert_int_equal(differing, 1);
    sim_params_free(p);
  }
}

// A scenario changes the machine's defaults and narrows its bounds; without bounds of its
// own the machine's hold.
static void scenario_overrides_machine(void **state) {
  struct sim_params *p = sim_params_new(&scenario);
  struct sim_config cfg;
  char err[200];
  sim_params_to_config(p, &cfg);
  assert_int_equal(cfg.num_cpus, 1);
  assert_int_equal(cfg.skew_ns, 500);
  assert_int_equal(cfg.hz, 250);
  assert_false(sim_params_set(p, "skew_ns", "99", err, sizeof(err)));
  assert_true(sim_params_set(p, "skew_ns", "900", err, sizeof(err)));
  assert_false(sim_params_set(p, "skew_ns", "901", err, sizeof(err)));
  // One value is a range too, which had been taken for "as the machine has it".
  assert_false(sim_params_set(p, "weak", "1", err, sizeof(err)));
  assert_true(sim_params_set(p, "weak", "0", err, sizeof(err)));
  assert_true(sim_params_set(p, "num_cpus", "8", err, sizeof(err)));
  assert_false(sim_params_set(p, "num_cpus", "9", err, sizeof(err)));
  assert_false(sim_params_set(p, "num_cpus", "0", err, sizeof(err)));
  sim_params_to_config(p, &cfg);
  assert_int_equal(cfg.num_cpus, 8);
  assert_int_equal(cfg.skew_ns, 900);
  sim_params_free(p);
}

struct set_case {
  const char *key, *value;
  bool ok;
  s64 result;
  const char *reason;  // part of it
};

static const struct set_case set_cases[] = {
    {"readers", "3", true, 3, NULL},
    {"readers", "0x9", true, 9, NULL},
    {"readers", "0X9", true, 9, NULL},
    {"readers", "007", true, 7, NULL},
    {"readers", "", false, 0, "not a number"},
    {"readers", "-", false, 0, "not a number"},
    {"readers", "0x", false, 0, "not a number"},
    {"readers", "-0x", false, 0, "not a number"},
    {"readers", "+3", false, 0, "not a number"},
    {"readers", " 3", false, 0, "not a number"},
    {"readers", "3 ", false, 0, "not a number"},
    {"readers", "3\n", false, 0, "not a number"},
    {"readers", "3x", false, 0, "not a number"},
    {"readers", "3.0", false, 0, "not a number"},
    {"readers", "1e0", false, 0, "not a number"},
    {"readers", "--3", false, 0, "not a number"},
    {"readers", "a", false, 0, "not a number"},
    {"readers", "\xff\xfe", false, 0, "not a number"},
    {"readers", "0", false, 0, "not within 1..9"},
    {"readers", "10", false, 0, "not within 1..9"},
    {"readers", "-3", false, 0, "not within 1..9"},
    {"readers", "18446744073709551619", false, 0, "not within 1..9"},
    {"readers", "99999999999999999999999999999999999999999", false, 0, "not within"},
    {"readers", "99999999999999999999999999999999999999999x", false, 0, "not a number"},
    {"readers", "0x10000000000000003", false, 0, "not within 1..9"},
    {"offset", "9223372036854775807", true, INT64_MAX, NULL},
    {"offset", "9223372036854775808", false, 0, "not within"},
    {"offset", "-9223372036854775808", true, INT64_MIN, NULL},
    {"offset", "-9223372036854775809", false, 0, "not within"},
    {"offset", "0x7fffffffffffffff", true, INT64_MAX, NULL},
    {"offset", "0x8000000000000000", false, 0, "not within"},
    {"offset", "-0x8000000000000000", true, INT64_MIN, NULL},
    {"offset", "-0", true, 0, NULL},
    {"policy", "relax", true, 0, NULL},
    {"policy", "yield", true, 2, NULL},
    {"policy", "2", true, 2, NULL},
    {"policy", "3", false, 0, "not within 0..2"},
    {"policy", "-1", false, 0, "not within 0..2"},
    {"policy", "Yield", false, 0, "none of relax, msleep1000, yield"},
    {"policy", "", false, 0, "none of relax"},
    {"hz", "100", true, 100, NULL},
    {"hz", "1000", true, 1000, NULL},
    {"hz", "300", false, 0, "none of 100, 250, 1000"},
    {"hz", "99", false, 0, "not within"},
    {"preempt", "0", true, 0, NULL},
    {"preempt", "2", false, 0, "not within 0..1"},
    {"suspect.abba", "1", true, 1, NULL},
    {"suspect.abba", "2", false, 0, "not within 0..1"},
    {"suspect.nobody", "1", false, 0, "no parameter 'suspect.nobody'"},
    {"suspect.", "1", false, 0, "no parameter"},
    {"abba", "1", false, 0, "no parameter 'abba'"},
    {"", "1", false, 0, "no parameter ''"},
    {"reader", "1", false, 0, "no parameter 'reader'"},
    {"Readers", "1", false, 0, "no parameter"},
};

// Every text is taken or refused with a reason that names the parameter; a refusal leaves
// the value.
static void hostile_values(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(set_cases); i++) {
    const struct set_case *c = &set_cases[i];
    struct sim_params *p = sim_params_new(&scenario);
    char err[200] = "untouched";
    s64 before = 4242, after = 4242;
    bool exists = sim_params_get(p, c->key, &before);
    bool ok = sim_params_set(p, c->key, c->value, err, sizeof(err));
    assert_int_equal(exists, sim_params_get(p, c->key, &after));
    if (ok != c->ok) fail_msg("row %u: '%s'='%s'", i, c->key, c->value);
    if (ok) {
      assert_int_equal(after, c->result);
    } else {
      assert_int_equal(after, before);
      if (!strstr(err, c->reason)) fail_msg("row %u: reason '%s'", i, err);
    }
    sim_params_free(p);
  }
}

// A reason is cut, never written past its buffer.
static void short_reasons(void **state) {
  struct sim_params *p = sim_params_new(&scenario);
  char err[64];
  for (size_t len = 1; len < sizeof(err); len++) {
    memset(err, '#', sizeof(err));
    assert_false(sim_params_set(p, "policy", "nothing that is known", err, len));
    assert_non_null(memchr(err, 0, len));
    for (size_t i = len; i < sizeof(err); i++) assert_int_equal(err[i], '#');
  }
  sim_params_free(p);
}

// What differs from the default is walked in a fixed order and sets a fresh copy to the
// same; what was set back is not walked.
static void changed_round_trip(void **state) {
  struct sim_params *p = sim_params_new(&scenario);
  char err[200], value[64];
  const char *key;
  assert_false(sim_params_changed(p, 0, &key, value, sizeof(value)));
  assert_true(sim_params_set(p, "suspect.late", "1", err, sizeof(err)));
  assert_true(sim_params_set(p, "hz", "1000", err, sizeof(err)));
  assert_true(sim_params_set(p, "policy", "yield", err, sizeof(err)));
  assert_true(sim_params_set(p, "offset", "-77", err, sizeof(err)));
  assert_true(sim_params_set(p, "num_cpus", "2", err, sizeof(err)));
  assert_true(sim_params_set(p, "readers", "5", err, sizeof(err)));
  assert_true(sim_params_set(p, "readers", "2", err, sizeof(err)));
  static const char *const expected[][2] = {{"policy", "yield"},
                                            {"offset", "-77"},
                                            {"num_cpus", "2"},
                                            {"hz", "1000"},
                                            {"suspect.late", "1"}};
  struct sim_params *q = sim_params_new(&scenario);
  u32 n = 0;
  for (; sim_params_changed(p, n, &key, value, sizeof(value)); n++) {
    assert_true(n < SIM_ARRAY_SIZE(expected));
    assert_string_equal(key, expected[n][0]);
    assert_string_equal(value, expected[n][1]);
    assert_true(sim_params_set(q, key, value, err, sizeof(err)));
  }
  assert_int_equal(n, SIM_ARRAY_SIZE(expected));
  struct sim_config a, b;
  sim_params_to_config(p, &a);
  sim_params_to_config(q, &b);
  assert_memory_equal(&a, &b, sizeof(a));
  assert_int_equal(get(q, "offset"), -77);
  assert_int_equal(get(q, "policy"), 2);
  assert_int_equal(get(q, "suspect.late"), 1);
  assert_int_equal(get(q, "suspect.abba"), 0);
  // What undoes a bug's own setting is told, be it the default.
  struct sim_params *r = sim_params_new(&scenario);
  assert_true(sim_params_set_bug(r, "needy"));
  assert_int_equal(get(r, "policy"), 2);
  assert_true(sim_params_set(r, "policy", "msleep1000", err, sizeof(err)));
  assert_true(sim_params_changed(r, 0, &key, value, sizeof(value)));
  assert_string_equal(key, "policy");
  assert_string_equal(value, "msleep1000");
  sim_params_free(r);
  char tiny[3];
  assert_true(sim_params_changed(p, 3, &key, tiny, sizeof(tiny)));
  assert_string_equal(tiny, "10");
  sim_params_free(p);
  sim_params_free(q);
}

// A clone has the values of the moment and lives by itself.
static void clone_is_independent(void **state) {
  struct sim_params *p = sim_params_new(&scenario);
  char err[200];
  assert_true(sim_params_set(p, "readers", "7", err, sizeof(err)));
  assert_true(sim_params_set_bug(p, "lost"));
  struct sim_params *q = sim_params_clone(p);
  assert_true(sim_params_set(p, "readers", "8", err, sizeof(err)));
  assert_true(sim_params_set_bug(p, "55"));
  sim_params_free(p);
  assert_int_equal(get(q, "readers"), 7);
  assert_string_equal(sim_params_bug(q), "lost");
  assert_ptr_equal(sim_params_scenario(q), &scenario);
  sim_params_free(q);
}

// A planted bug is one of the scenario's, by its whole id; a wrong id changes nothing.
static void planted_bug(void **state) {
  struct sim_params *p = sim_params_new(&scenario), *none = sim_params_new(&bare);
  current = p;
  assert_null(sim_params_bug(p));
  assert_false(sim_bug("55"));
  assert_true(sim_params_set_bug(p, "55"));
  assert_true(sim_bug("55"));
  assert_false(sim_bug("lost"));
  assert_false(sim_params_set_bug(p, "5"));
  assert_false(sim_params_set_bug(p, "555"));
  assert_false(sim_params_set_bug(p, ""));
  assert_string_equal(sim_params_bug(p), "55");
  assert_true(sim_params_set_bug(p, "lost"));
  assert_false(sim_bug("55"));
  assert_true(sim_bug("lost"));
  current = none;
  assert_false(sim_params_set_bug(none, "55"));
  assert_false(sim_bug("55"));
  sim_params_free(p);
  sim_params_free(none);
}

// A bug that needs a parameter sets it; one that is set afterwards stays.
static void bug_sets_what_it_needs(void **state) {
  static const struct sim_bug needy[] = {{"9", "-", "weak", "1"}, {.id = NULL}};
  struct sim_scenario with = bare;
  with.bugs = needy;
  struct sim_params *p = sim_params_new(&with);
  char err[200];
  assert_true(sim_params_set_bug(p, "9"));
  assert_int_equal(get(p, "weak"), 1);
  assert_true(sim_params_set(p, "weak", "0", err, sizeof(err)));
  assert_int_equal(get(p, "weak"), 0);
  assert_string_equal(sim_params_bug(p), "9");
  sim_params_free(p);
}

// A model sees its parameters and suspects; an oracle is explained by a suspect that is on.
static void model_lookups(void **state) {
  struct sim_params *p = sim_params_new(&scenario), *none = sim_params_new(&bare);
  char err[200];
  current = p;
  assert_int_equal(sim_param("readers"), 2);
  assert_int_equal(sim_param("num_cpus"), 1);
  assert_false(sim_suspect("abba"));
  assert_null(sim_params_suspect_of(p, "deadlock"));
  assert_true(sim_params_set(p, "suspect.late", "1", err, sizeof(err)));
  assert_true(sim_suspect("late"));
  assert_false(sim_suspect("abba"));
  assert_ptr_equal(sim_params_suspect_of(p, "deadlock"), &suspects[1]);
  assert_null(sim_params_suspect_of(p, "lock-order"));
  assert_true(sim_params_set(p, "suspect.abba", "1", err, sizeof(err)));
  assert_ptr_equal(sim_params_suspect_of(p, "deadlock"), &suspects[0]);
  assert_ptr_equal(sim_params_suspect_of(p, "lock-order"), &suspects[0]);
  assert_null(sim_params_suspect_of(p, "lock"));
  current = none;
  assert_false(sim_suspect("abba"));
  assert_null(sim_params_suspect_of(none, "deadlock"));
  sim_params_free(p);
  sim_params_free(none);
}

static int status_of(void (*fn)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(99);
    fn();
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_unknown(void) {
  current = sim_params_new(&bare);
  (void)sim_param("readers");
}

static void name_twice(void) {
  static const struct sim_param twice[] = {{"x", 1, 0, 2}, {"x", 1, 0, 2}, {NULL}};
  static const struct sim_scenario s = {.name = "s", .params = twice};
  sim_params_new(&s);
}

static void default_outside(void) {
  static const struct sim_param outside[] = {{"x", 3, 0, 2}, {NULL}};
  static const struct sim_scenario s = {.name = "s", .params = outside};
  sim_params_new(&s);
}

static void wider_than_machine(void) {
  static const struct sim_param wide[] = {{"num_cpus", 3, 1, 9}, {NULL}};
  static const struct sim_scenario s = {.name = "s", .params = wide};
  sim_params_new(&s);
}

static void bad_hz(void) {
  static const struct sim_param hz[] = {{"hz", 300}, {NULL}};
  static const struct sim_scenario s = {.name = "s", .params = hz};
  sim_params_new(&s);
}

// A scenario that is written wrongly is a defect of ours: status 70.
static void wrong_tables_assert(void **state) {
  assert_int_equal(status_of(ask_unknown), 70);
  assert_int_equal(status_of(name_twice), 70);
  assert_int_equal(status_of(default_outside), 70);
  assert_int_equal(status_of(wider_than_machine), 70);
  assert_int_equal(status_of(bad_hz), 70);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machine_table),
      cmocka_unit_test(machine_fields_are_separate),
      cmocka_unit_test(scenario_overrides_machine),
      cmocka_unit_test(hostile_values),
      cmocka_unit_test(short_reasons),
      cmocka_unit_test(changed_round_trip),
      cmocka_unit_test(clone_is_independent),
      cmocka_unit_test(planted_bug),
      cmocka_unit_test(bug_sets_what_it_needs),
      cmocka_unit_test(model_lookups),
      cmocka_unit_test(wrong_tables_assert),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
