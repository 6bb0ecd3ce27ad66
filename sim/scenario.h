// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a scenario is: a registry entry that joins models into runs.
#ifndef SEEDBED_SIM_SCENARIO_H_
#define SEEDBED_SIM_SCENARIO_H_

#include "sim/base.h"
#include "sim/world.h"

// A parameter: integer, with default, bounds (included), unit and one line. A
// parameter whose name is a field of struct sim_config (num_cpus, hz, skew_ns,
// chaos_ns, ...) sets that field; those exist for every scenario and are listed by
// `seedbed list`; a scenario names one itself only to change its default (then min and
// max are 0 and unit and line NULL: the machine's hold) or to narrow its bounds, to one
// value too.
// Enumerations are integers with `names` (NULL-terminated; index = value).
struct sim_param {
  const char *name;
  s64 def, min, max;
  const char *unit;
  const char *line;
  const char *const *names;
  // Oracles object to a value of it, as its line says: no fuzzer sets it.
  bool provokes;
};

// An oracle: id ("hwrng-no-callback-after-unregister"), a sentence, its source.
struct sim_oracle {
  const char *id;
  enum sim_status status;  // SIM_SAFETY or SIM_LIVENESS
  const char *sentence;
  const char *source;
};

// A behaviour of the kernel as it is that some oracle objects to. `--set
// suspect.NAME=1` switches it on; the oracles it names are then counted, not
// reported. `oracles` is NULL-terminated, of ids.
struct sim_suspect {
  const char *name;
  const char *line;
  const char *const *oracles;
};

// A planted bug: historical defect number or name; each scenario lists those it
// must find.
struct sim_bug {
  const char *id;    // "55"
  const char *line;  // what goes wrong, and the commit that mended it
  // A parameter without which it is not found, and its value; set when the bug is switched
  // on. NULL: none is needed.
  const char *needs, *value;
  // No oracle finds it: an error of memory or of time, for a sanitizer or an engine's limits.
  bool silent;
};

struct sim_params;
struct sim_scenario {
  const char *name;
  const char *claim;                        // one line
  const struct sim_param *params;           // .name == NULL ends it; may be NULL
  const struct sim_oracle *const *oracles;  // NULL-terminated
  const struct sim_suspect *suspects;       // .name == NULL ends it; may be NULL
  const struct sim_bug *bugs;               // .id == NULL ends it; may be NULL
  u32 input_len_max;                        // bytes of fuzzer input
  u32 yardstick_runs;                       // executions within which bugs are found
  bool testonly;                            // not run by `hunt`
  // The same scenario of the twin objects, compiled with the access hooks: whose callbacks run
  // where the machine's parameter `hooks` is not 0. NULL: there are none, and no such parameter.
  const struct sim_scenario *hooked;
  // May run on an image as well (`--subject=image:FILE`); its set-up asks for it.
  bool takes_image;
  // May run on files of a kernel tree as well (`--subject=kernel:DIR`); its set-up asks for them.
  bool takes_kernel;
  // May run on functions of a kernel tree that a guest executes (`--subject=kernel:DIR`); its
  // set-up asks for them.
  bool takes_guest;
  // Whether `params` contradict each other or the subject that is set, so that nothing can be run:
  // then true, with the reason in `err` (`len` bytes), and the command ends with status 64 before
  // it runs. Runs on the host, outside any world. May be NULL: nothing does.
  bool (*refuses)(const struct sim_params *params, char *err, size_t len);
  // Runs once per set of parameters as task "setup" on CPU 0, calmly. Allocates
  // state (sim_alloc_static), registers devices, creates tasks. sim_set_private
  // keeps a pointer for the other callbacks.
  void (*setup)(void);
  // Runs at once when phase two begins, whatever context that is: ends what faults are
  // lasting by changing the models' state. May be NULL. Calls no primitive and draws
  // nothing.
  void (*heal)(void);
  // Runs before a deadlock or no-convergence is reported in phase two: sim_fail with the cause, if
  // the scenario can tell it. May be NULL. Calls no other primitive and draws nothing.
  void (*stuck)(void);
  // Runs on the host stack after the last task that is not a daemon has ended:
  // end-of-run oracles. May be NULL. Calls no primitive and draws nothing.
  void (*check)(void);
};

// For `hooked`: the scenario of that name in the twin, which is declared by SIM_HAS_TWIN.
#ifdef SIM_TWIN
#define SIM_HAS_TWIN(name) extern const struct sim_scenario name
#define SIM_HOOKED_TWIN(name) NULL
#else
#define SIM_HAS_TWIN(name) extern const struct sim_scenario name, hooked_##name
#define SIM_HOOKED_TWIN(name) (&hooked_##name)
#endif

void sim_set_private(void *state);
void *sim_private(void);

// Values of a run's parameters: the scenario's, the machine's, bugs and suspects.
struct sim_params *sim_params_new(const struct sim_scenario *scenario);
struct sim_params *sim_params_clone(const struct sim_params *params);
void sim_params_free(struct sim_params *params);
// Sets one from text ("preempt", "1"); a decimal or 0x number with no blank or other
// character around it, or a name of an enumeration; "suspect.NAME". Returns false with a
// reason in `err` (never NULL, `len` bytes) and the value unchanged if the name or value
// is wrong.
SIM_MUST_CHECK bool sim_params_set(struct sim_params *params, const char *key, const char *value,
                                   char *err, size_t len);
// Switches a planted bug on by id, with the parameter that it needs, instead of one that was
// on; false, and nothing changed, if the scenario has none of that id.
SIM_MUST_CHECK bool sim_params_set_bug(struct sim_params *params, const char *id);
const char *sim_params_bug(const struct sim_params *params);  // NULL: none
// Walks what differs from the default, or, of the parameter that the bug which is on needs, from
// the value that it sets, in a fixed order: index 0, 1, ... until
// false: the scenario's own, the machine's, the suspects, each in its table's order.
// `key` "num_cpus" lives as long as `params`; the value is text that sim_params_set
// takes, cut at `len`. A planted bug is not among them.
bool sim_params_changed(const struct sim_params *params, u32 index, const char **key, char *value,
                        size_t len);
// The value of any parameter, "suspect.NAME" included (0 or 1); false if there is none
// of that name, and then `out` is unchanged.
SIM_MUST_CHECK bool sim_params_get(const struct sim_params *params, const char *key, s64 *out);
const struct sim_scenario *sim_params_scenario(const struct sim_params *params);
// The suspect that is on and names the oracle of that id (the first, in the scenario's
// order), or NULL.
const struct sim_suspect *sim_params_suspect_of(const struct sim_params *params,
                                                const char *oracle_id);
void sim_params_to_config(const struct sim_params *params, struct sim_config *out);
// The machine's parameters, in the order of struct sim_config: index 0 .. count-1. The
// table is sim/config.h.
u32 sim_machine_params_count(void);
const struct sim_param *sim_machine_param(u32 index);

// For models, in set-up or a run: the value of one of the scenario's own
// parameters (asserts that it exists; the machine's are in sim_world_config); whether a
// bug or a suspect is on (false where the scenario does not list it). Look up once in
// set-up and keep the value: this compares strings.
s64 sim_param(const char *name);
bool sim_bug(const char *id);
bool sim_suspect(const char *name);

#endif  // SEEDBED_SIM_SCENARIO_H_
