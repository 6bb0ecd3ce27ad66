// SPDX-License-Identifier: GPL-2.0-or-later
//
// See fpu_scene.h. Sections: user tasks; kernel threads; interrupts; moves; set-up.
#include "models/fpu/fpu_scene.h"

#include "models/fpu/fpu_scenarios.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

const char *const fpu_scene_designs[] = {"6.1", "7.2", "softirq-only", NULL};

static struct fpu_scene *the_scene(void) { return sim_private(); }

void fpu_scene_pause(void) {
  static const u16 ns[] = {0, 300, 2000, 20000};
  u32 how =
      sim_choose(sim_w, SIM_SITE_DRAW("fpu-pause", SIM_SITE_WORK, 0, 0), SIM_ARRAY_SIZE(ns) + 1);

  if (how == SIM_ARRAY_SIZE(ns))
    sim_schedule_timeout_uninterruptible(1);
  else if (how)
    sim_elapse(ns[how]);
}

bool fpu_scene_threaded(void) {
  bool rt = sim_world_config(sim_w)->rt;

  if (rt) sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  return rt;
}

u32 fpu_scene_blocks(void) {
  static const u8 blocks[] = {1, 2, 3, 200};

  return blocks[sim_choose(sim_w, SIM_SITE_DRAW("fpu-blocks", SIM_SITE_WORK, 1, 3),
                           SIM_ARRAY_SIZE(blocks))];
}

// ---- User tasks ----

static void handle_signal(struct fpu_scene_user *user);

static bool has_signal(const struct fpu_scene_user *user) {
  return !user->in_handler && sim_signal_pending();
}

static void mark_return(const struct fpu_scene_user *user) {
  const struct fpu_cpu *cpu = sim_raw_cpu_ptr(user->scene->model.cpus);
  bool here = user->fpu.last_cpu == sim_smp_processor_id();
  bool owns = user->fpu.need_fpu_load && cpu->owner == &user->fpu;

  SIM_SOMETIMES("fpu-blake2s", "a switch, and registers that are still loaded", 20000,
                owns && here);
  // Where there is another CPU to come back from.
  SIM_SOMETIMES("fpu-blake2s", "a task is back where its old registers are", 20000,
                (owns && !here) || sim_nr_cpus() == 1);
}

// exit_to_user_mode_loop and what follows, a stretch of user mode, and back into the kernel.
static void user_mode(struct fpu_scene_user *user) {
  struct fpu_scene *scene = user->scene;

  sim_local_irq_disable();
  while (sim_need_resched() || has_signal(user)) {
    sim_local_irq_enable();
    if (sim_need_resched()) sim_schedule();
    if (has_signal(user)) handle_signal(user);
    sim_local_irq_disable();
  }
  mark_return(user);
  switch_fpu_return(&scene->model);
  fpu_watch_user_mode(&scene->watch, user->number);
  sim_local_irq_enable();
  fpu_scene_pause();
}

static void handle_signal(struct fpu_scene_user *user) {
  struct fpu_scene *scene = user->scene;
  struct fpu_regs frame, init, before = scene->watch.user[user->number];

  sim_clear_signals();
  user->in_handler = true;
  copy_fpstate_to_sigframe(&scene->model, &frame);
  fpu_clear_user_states(&scene->model);
  fpu_regs_init(&init);
  fpu_watch_expect(&scene->watch, user->number, &init);
  user_mode(user);
  // A system call of the handler's, and sigreturn.
  scene->work->task(scene);
  restore_fpregs_from_user(&scene->model, &frame);
  fpu_watch_expect(&scene->watch, user->number, &before);
  user->in_handler = false;
}

// sched_setaffinity, to another CPU.
static void change_cpu(void) {
  u32 by = sim_choose(sim_w, SIM_SITE_DRAW("fpu-affinity", SIM_SITE_WORK, 1, 4), sim_nr_cpus());

  if (by) (void)sim_migrate_task_to(sim_current(), (sim_smp_processor_id() + by) % sim_nr_cpus());
}

static void user_main(void *arg) {
  struct fpu_scene_user *user = arg;

  for (u32 i = 0; i < user->scene->rounds; i++) {
    user_mode(user);
    user->scene->work->task(user->scene);
    change_cpu();
    if (sim_choose(sim_w, SIM_SITE_DRAW("fpu-raise", SIM_SITE_WORK, 1, 3), 2))
      sim_send_signal(user->task);
  }
  user_mode(user);
}

// ---- Kernel threads ----

static void worker_main(void *arg) {
  struct fpu_scene *scene = arg;

  for (u32 i = 0; i < scene->rounds; i++) {
    fpu_scene_pause();
    scene->work->task(scene);
  }
}

// ---- Interrupts ----

static void irq_arm(struct fpu_scene_irqs *irqs);

static void mark_hardirq(const struct fpu_scene *scene) {
  const struct fpu_watch_cpu *cpu = &scene->watch.cpus[sim_smp_processor_id()];

  // Under PREEMPT_RT preemption is off there, as in many other places.
  SIM_SOMETIMES("fpu-blake2s", "a hardirq while registers are kept", 2000,
                (sim_softirq_count() && !sim_in_serving_softirq() && !cpu->open) ||
                    sim_world_config(sim_w)->rt);
  SIM_SOMETIMES("fpu-blake2s", "a hardirq in a section", 2000, cpu->open);
  SIM_SOMETIMES("fpu-blake2s", "a hardirq in a softirq", 20000, sim_in_serving_softirq());
}

static void irq_handler(void *arg) {
  struct fpu_scene_irqs *irqs = arg;
  u32 what = sim_choose(sim_w, SIM_SITE_DRAW("fpu-irq", SIM_SITE_WORK, 0, 0), 5);

  mark_hardirq(irqs->scene);
  if (what & 1) irqs->scene->work->hardirq(irqs->scene);
  if (what & 2) sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  if (what == 4 && !sim_timer_pending(&irqs->timer)) sim_mod_timer(&irqs->timer, sim_jiffies());
  if (--irqs->left) irq_arm(irqs);
}

static void irq_arm(struct fpu_scene_irqs *irqs) {
  static const u32 gap_ns[] = {20000, 700, 2500, 7000, 4000000};
  u32 gap = gap_ns[sim_choose(sim_w, SIM_SITE_DRAW("fpu-gap", SIM_SITE_WORK, 0, 0),
                              SIM_ARRAY_SIZE(gap_ns))];

  // They are moved when the CPU goes, and back when it has come.
  sim_hw_event_arm(&irqs->event, sim_clock_ns() + gap, irq_handler, irqs,
                   sim_cpu_online(irqs->cpu) ? irqs->cpu : 0);
}

static void timer_softirq(struct sim_timer *timer) {
  struct fpu_scene *scene = sim_container_of(timer, struct fpu_scene_irqs, timer)->scene;

  scene->work->softirq(scene);
}

static void net_rx_softirq(void) { the_scene()->work->softirq(the_scene()); }

// ---- Moves ----

static int cpu_prepare(u32 cpu) {
  fpu_prepare_cpu(&the_scene()->model, cpu);
  return 0;
}

static int cpu_starting(u32 cpu) {
  fpu_init_cpu(&the_scene()->model, cpu);
  return 0;
}

static int cpu_dying(u32 cpu) {
  fpu_disable_cpu(&the_scene()->model, cpu);
  return 0;
}

static void mover_main(void *arg) {
  struct fpu_scene *scene = arg;
  u32 num_cpus = sim_nr_cpus();

  for (u32 i = 0; i < scene->moves; i++) {
    u32 what = sim_choose(sim_w, SIM_SITE_DRAW("fpu-move", SIM_SITE_WORK, 0, 0), 3);
    u32 cpu = sim_choose(sim_w, SIM_SITE_DRAW("fpu-move-cpu", SIM_SITE_WORK, 0, 0), num_cpus);
    u32 who =
        sim_choose(sim_w, SIM_SITE_DRAW("fpu-move-who", SIM_SITE_WORK, 0, 0), scene->num_users);
    struct sim_task *task = scene->users[who].task;

    fpu_scene_pause();
    if (what == 1) (void)sim_migrate_task_to(task, cpu);
    if (what == 2 && sim_task_state(task) != SIM_TASK_DEAD) sim_send_signal(task);
    if (!scene->work->hotplug ||
        !sim_choose(sim_w, SIM_SITE_DRAW("fpu-hotplug", SIM_SITE_WORK, 1, 32), 2))
      continue;
    if (sim_cpu_online(cpu))
      (void)sim_cpu_down(cpu);
    else
      (void)sim_cpu_up(cpu);
  }
}

// ---- Set-up ----

static u64 cycles_ns(const char *name) {
  return ((u64)sim_param(name) * 1000 + (u64)sim_param("mhz") - 1) / (u64)sim_param("mhz");
}

static void model_from_params(struct fpu_model *model) {
  model->design = (enum fpu_design)sim_param("design");
  model->costs = (struct fpu_costs){
      .generic_ns = cycles_ns("generic_cycles"),
      .simd_ns = cycles_ns("simd_cycles"),
      .begin_ns = cycles_ns("begin_cycles"),
      .save_ns = cycles_ns("save_cycles"),
      .restore_ns = cycles_ns("restore_cycles"),
  };
  model->quirks = (struct fpu_quirks){
      .bug_80 = sim_bug("80"),
      .bug_81 = sim_bug("81"),
      .bug_82 = sim_bug("82"),
      .bug_as_posted = sim_bug("softirq-only-as-posted"),
  };
  if (model->quirks.bug_as_posted) model->design = FPU_SOFTIRQ_ONLY;
}

// Slower code than the default's takes longer, and that is no finding: bounds are stated for the
// default, and grow with the costs.
static u64 section_bound_ns(const struct fpu_costs *costs) {
  enum { DEFAULT_NS = 99 };  // 277 cycles at 2800 MHz
  u64 section_ns = (u64)sim_param("section_ns");

  return costs->simd_ns > DEFAULT_NS ? section_ns * costs->simd_ns / DEFAULT_NS : section_ns;
}

static void grow_bounds(const struct fpu_scene *scene) {
  // The largest hash, in sections; by each CPU, behind a lock.
  enum { BLOCKS = 200, SECTIONS = 4, DEFAULT_NS = 31300 };
  const struct fpu_costs *costs = &scene->model.costs;
  u64 block_ns = costs->simd_ns > costs->generic_ns ? costs->simd_ns : costs->generic_ns;
  u64 section_ns = costs->begin_ns + costs->save_ns + costs->restore_ns;
  u64 hash_ns = BLOCKS * block_ns + SECTIONS * section_ns, work;

  if (hash_ns > DEFAULT_NS) sim_atomic_bounds_grow(2 * sim_nr_cpus() * (hash_ns - DEFAULT_NS));
  // A round goes to user mode, hashes and may be interrupted by as much on all CPUs; it sleeps for
  // some jiffies.
  work = scene->rounds + scene->moves;
  sim_heal_budget_grow(work * (10 * sim_jiffies_to_nsecs(1) + 8 * sim_nr_cpus() * hash_ns));
}

static void start_users(struct fpu_scene *scene) {
  scene->num_users = (u32)sim_param("users");
  for (u32 i = 0; i < scene->num_users; i++) {
    struct fpu_scene_user *user = &scene->users[i];

    user->scene = scene;
    user->number = i;
    user->task = sim_task_new("user", user_main, user, i % sim_nr_cpus());
    fpu_attach(&scene->model, &user->fpu, user->task);
  }
}

static void start_irqs(struct fpu_scene *scene) {
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, net_rx_softirq);
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) {
    struct fpu_scene_irqs *irqs = &scene->irqs[cpu];

    *irqs =
        (struct fpu_scene_irqs){.scene = scene, .cpu = cpu, .left = (u32)sim_param("interrupts")};
    sim_timer_setup(&irqs->timer, timer_softirq);
    if (irqs->left) irq_arm(irqs);
  }
}

void *fpu_scene_setup(size_t size, const struct fpu_scene_work *work) {
  struct fpu_scene *scene = sim_alloc_static(size, "scene");
  u32 workers = (u32)sim_param("workers");

  SIM_ASSERT(size >= sizeof(*scene));
  sim_set_private(scene);
  scene->work = work;
  scene->rounds = (u32)sim_param("rounds");
  scene->moves = (u32)sim_param("moves");
  model_from_params(&scene->model);
  fpu_watch_init(&scene->watch, &scene->model, section_bound_ns(&scene->model.costs));
  grow_bounds(scene);
  fpu_setup(&scene->model);
  SIM_ASSERT(sim_cpuhp_setup_state("x86/fpu:prepare", cpu_prepare, NULL, false) >= 0);
  SIM_ASSERT(sim_cpuhp_setup_state("x86/fpu:starting", cpu_starting, cpu_dying, true) >= 0);
  start_users(scene);
  for (u32 i = 0; i < workers; i++)
    sim_task_new("worker", worker_main, scene, (i + 1) % sim_nr_cpus());
  if (scene->num_users && scene->moves) sim_task_new("mover", mover_main, scene, 0);
  start_irqs(scene);
  return scene;
}

const struct fpu_stats *fpu_scenario_stats(void) { return &the_scene()->model.stats; }
