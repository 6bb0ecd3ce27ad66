// SPDX-License-Identifier: GPL-2.0-or-later
//
// vdso-getrandom: calls of a vDSO's getrandom, alone and in sequences, while the kernel
// reseeds, reclaims the state's page, delivers signals, and the process forks.
#include <stdio.h>

#include "models/vdso/vdso_oracles.h"
#include "models/vdso/vdso_profile.h"
#include "models/vdso/vdso_run.h"
#include "models/vdso/vdso_scenarios.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/trace.h"
#include "sim/world.h"

// In the arena: what a run changes lies in the machine's memory.
struct state {
  struct vdso_machine *m;
  struct vdso_run *run;
  char variant[48];
  u32 calls;  // the parameter: 0, drawn; else 1 + a script
};

extern const struct sim_scenario scenario_vdso_getrandom;

struct vdso_run *vdso_getrandom_run(void) {
  return ((struct state *)sim_private())->run;
}

static void judge_image(const struct vdso_image *image) {
  if (image->num_undefined || image->num_relocs)
    sim_fail(&vdso_oracle_image, "", "%u undefined symbols, %u relocations", image->num_undefined,
             image->num_relocs);
}

// The same calls with other keys, on the engine that logs.
static void look_twice(struct state *state) {
  static const u32 calls[][4] = {{32, 16, 0, 0}, {64, 64, 0, 0}, {200, 96, 7, 0}, {96, 400, 33, 1}};
  u32 which = sim_choose(sim_w, SIM_SITE_DRAW("vdso-twice-calls", SIM_SITE_WORK, 0, 0), 4);
  struct vdso_twice twice;

  vdso_run_twice(state->m, calls[which], which == 3 ? 4 : 3, &twice);
  vdso_report_twice(&twice);
}

// Without FPSIMD a vDSO serves nothing: there is nothing of this to reach.
static void mark(const struct vdso_run *run) {
  const u32 reached = run->m->setting.no_fpsimd ? ~0u : run->reached;

  SIM_SOMETIMES("vdso-getrandom", "a call takes a second key", 20000, reached & VDSO_REACHED_RETRY);
  SIM_SOMETIMES("vdso-getrandom", "a handler's call finds the state in use", 20000,
                reached & VDSO_REACHED_NESTED_BUSY);
  SIM_SOMETIMES("vdso-getrandom", "a child returns from the call that was forked in", 20000,
                reached & VDSO_REACHED_CHILD_CALL);
  SIM_SOMETIMES("vdso-getrandom", "a buffer faults", 20000, reached & VDSO_REACHED_FAULT);
  SIM_SOMETIMES("vdso-getrandom", "whole blocks go straight to the buffer", 20000,
                reached & VDSO_REACHED_BLOCKS);
}

// Mostly drawn calls; the others are what a sweep begins from.
static enum vdso_script draw_script(void) {
  u32 script = sim_choose(sim_w, SIM_SITE_DRAW("vdso-script", SIM_SITE_WORK, 7, 8), VDSO_SCRIPTS);

  if (script != VDSO_SCRIPT_DRAWN &&
      sim_choose(sim_w, SIM_SITE_DRAW("vdso-script-drawn", SIM_SITE_WORK, 3, 4), 2))
    script = VDSO_SCRIPT_DRAWN;
  return script;
}

static void caller(void *arg) {
  struct state *state = arg;
  struct vdso_run *run = state->run;
  bool well;

  judge_image(state->m->image);
  run->script = state->calls ? state->calls - 1 : draw_script();
  well = vdso_run_all(run);
  sim_trace_model("getrandom", run->digest, run->num_calls);
  mark(run);
  // 400 ps an instruction: 2.5 GHz and one a cycle.
  sim_elapse(run->insns * 2 / 5);
  if (!well) sim_fail(run->verdict.oracle, run->verdict.stable, "%s", run->verdict.text);
  if (run->twice && sim_choose(sim_w, SIM_SITE_DRAW("vdso-twice", SIM_SITE_FAULT, 1, 256), 2))
    look_twice(state);
}

static void setup(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "vdso-getrandom");
  struct vdso_setting setting;
  char err[200], where[64];

  sim_set_private(state);
  vdso_setting_from_params(&setting, state->variant, sizeof(state->variant),
                           scenario_vdso_getrandom.bugs);
  setting.is_private = sim_param("mapping") == 1;
  setting.no_fpsimd = !sim_param("fpsimd");
  state->m = vdso_machine_try(&setting, where, err, sizeof(err));
  if (!state->m) sim_fail(&vdso_oracle_crash, where, "%s", err);
  state->run = guest_pages(state->m->fast.g,
                           (sizeof(*state->run) + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE);
  state->run->m = state->m;
  state->run->planned = false;
  state->run->world = sim_w;
  state->run->corrupt = sim_param("corrupt");
  state->run->twice = sim_param("twice");
  state->calls = (u32)sim_param("calls");
  state->run->events_max = (u32)sim_param("events");
  sim_task_new("caller", caller, state, 0);
}

static const char *const calls[] = {"any", "first", "batch", "refill", "blocks", "drawn", NULL};
static const char *const mappings[] = {"droppable", "private", NULL};

static const struct sim_param params[] = {
    VDSO_PARAM_ARCH,
    VDSO_PARAM_KEY_ORDER,
    VDSO_PARAM_VDSO32,
    {"mapping", 0, 0, 1, "",
     "of states: MAP_DROPPABLE, or private, where a fork repeats keystream, and oracles say so",
     mappings},
    {"calls", 0, 0, 5, "", "32 bytes; then 16, of the batch; 64 twice; 200; or drawn", calls},
    {"events", 3, 0, 8, "", "in a main call, at most"},
    {"corrupt", 1, 0, 1, "", "states may be corrupt, foreign or misplaced"},
    {"twice", 1, 0, 1, "", "some runs compare two runs with different keys"},
    {"fpsimd", 1, 0, 1, "",
     "0: arm64 without FPSIMD, whose vDSO serves nothing; refused elsewhere"},
    {"num_cpus", 1, 1, 1, "", "a call sees one"},
    {.name = NULL},
};

static const char *const flags_oracles[] = {"vdso-result", NULL};
// A `pos` beyond the batch reads and zeroes what lies behind the state, be it nothing.
static const char *const trusted_oracles[] = {
    "vdso-keystream",        "vdso-keystream-once", "vdso-fresh",
    "vdso-residue",          "vdso-erased",         "vdso-outside",
    "vdso-needless-syscall", "vdso-needless-key",   "vdso-crash",
    "vdso-retries",          "vdso-varies",         NULL,
};

static const struct sim_suspect suspects[] = {
    {"flags_pair", "GRND_RANDOM with GRND_INSECURE is served, which the system call refuses",
     flags_oracles},
    {"state_trusted", "what lies in the state is trusted: pos, and a page wiped and used again",
     trusted_oracles},
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    {"34", "ChaCha's constants are in the other byte order, as a copy of bytes is on big-endian"},
    {"37", "flags that are not known are served; \"reject unknown getrandom() flags\""},
    {"38", "the generation is read as two halves, one after the other"},
    {"39", "memset is called, which a vDSO has not"},
    {"43", "a register that the system call spoils is taken as kept"},
    {"in-use-left-set", "a call that falls back leaves the state in use"},
    {"batch-not-zeroed", "bytes that were handed out stay in the state"},
    {"tail-not-zeroed", "of what was handed out less than 8 bytes stay in the state"},
    {"key-not-replaced", "the key of a refill is used again for the next"},
    {"generation-compared-early", "the generation is compared before the copy instead of after"},
    {"nonvolatile-not-restored", "r15 is not restored; arm64: x29"},
    {"vector-not-restored", "v20 is not restored; arm64: d8"},
    {"vrsave-changed", "VRSAVE is not as before"},
    {"timens-page", "in a time namespace the page behind the RNG's is read, as 6.12 lays them out"},
    {"so-left", "CR0.SO is left as a comparison takes it from XER"},
    {"key-spilled", "key words are spilled to the stack"},
    {"query-reserved-set", "a query's reserved words are not 0"},
    {"query-not-answered", "a query goes to the system call, which says 0 and answers nothing"},
    {"query-flags", "what is no query by its flags alone is answered as one"},
    {"key-derived-left", "the complement of a key word stays in r12"},
    {"batch-unused", "each call asks for a key, whatever the batch holds"},
    {"key-misplaced", "a key is asked for at an address that is not its place"},
    {"key-insecure", "a key is asked for with GRND_INSECURE"},
    {"branch-on-key", "a branch depends on the key"},
    {"state-overrun", "a word behind the state is written"},
    {"retry-unbounded", "a call tries again as long as the generation changes"},
    {"x18-changed", "the platform's register is used", "arch", "arm64"},
    {"tpidr-changed", "the thread pointer is not as before", "arch", "arm64"},
    {"irqs-masked", "interrupts are masked, which a process may not", "arch", "arm64"},
    {"fpcr-changed", "FPCR is not as before", "arch", "arm64"},
    {"sp-not-restored", "the stack pointer is 16 bytes lower than before", "arch", "arm64"},
    {"errno-positive", "an error of the vDSO's own is returned without its sign", "arch", "arm64"},
    {"straddle-unchecked", "a state that lies over a page's end is used", "arch", "arm64"},
    {"key-in-vector", "the last key that was loaded stays in v20", "arch", "arm64"},
    {"attempt-left", "what an attempt wrote that was thrown away stays in x13", "arch", "arm64"},
    {"key-in-high-half", "a word of the key stays in the upper half of v8", "arch", "arm64"},
    {.id = NULL},
};

const struct sim_scenario scenario_vdso_getrandom = {
    .name = "vdso-getrandom",
    .claim = "a vDSO hands out each keystream byte once, whatever happens at any instruction",
    .params = params,
    .oracles = vdso_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 256,
    .yardstick_runs = 100000,
    .takes_image = true,
    .refuses = vdso_params_refused,
    .setup = setup,
};
