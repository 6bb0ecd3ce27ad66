// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checker of lock order and lock context: what is done about a new order or a new
// use of a class. The common case is inline in sim/lockdep.h.
#include "sim/lockdep.h"

#include <stdio.h>
#include <string.h>

static struct sim_lockdep *lockdep(void) { return (struct sim_lockdep *)sim_w->st->lockdep; }

static void *lockdep_alloc(size_t size) {
  void *p = sim_arena_alloc(&sim_w->arena, size);
  SIM_ASSERT(p != NULL);
  memset(p, 0, size);
  return p;
}

void sim_lockdep_setup(void) {
  sim_w->st->lockdep = lockdep_alloc(sizeof(struct sim_lockdep));
  lockdep()->num = 1;
}

u16 sim_lock_class(const char *name) {
  struct sim_lockdep *d = lockdep();
  for (u32 i = 1; i < d->num; i++)
    if (d->cls[i]->name == name) return (u16)i;
  for (u32 i = 1; i < d->num; i++)
    if (strcmp(d->cls[i]->name, name) == 0) return (u16)i;
  SIM_ASSERT(d->num < SIM_LOCK_CLASSES_MAX);
  struct sim_lock_info *info = lockdep_alloc(sizeof(*info));
  info->name = name;
  d->cls[d->num] = info;
  return (u16)d->num++;
}

// ---- Reports ----

enum { LABEL_LEN = 96 };

static const char *site_label(u16 site, char *out) {
  return sim_site_label(sim_site_at(site), out, LABEL_LEN);
}

void sim_lockdep_again(const struct sim_task *task, const char *name, struct sim_site *site) {
  char label[LABEL_LEN];
  sim_fail(&sim_oracle_lock_misuse, name, "%s takes %s at %s and holds it already",
           sim_task_label(task), name, sim_site_label(site, label, sizeof(label)));
}

void sim_lock_misused(const char *name, const char *how, struct sim_site *site) {
  char label[LABEL_LEN];
  char stable[LABEL_LEN];
  snprintf(stable, sizeof(stable), "%s %s", name, how);
  sim_fail(&sim_oracle_lock_misuse, stable, "%s %s: %s in %s", name, how,
           sim_site_label(site, label, sizeof(label)), sim_task_label(sim_cur_task()));
}

void sim_lockdep_in_nmi(const char *name, struct sim_site *site) {
  char label[LABEL_LEN];
  sim_fail(&sim_oracle_context, name, "%s is waited for in an NMI at %s", name,
           sim_site_label(site, label, sizeof(label)));
}

static const struct sim_lock_edge *find_edge(const struct sim_lockdep *d, u32 from, u32 to) {
  for (const struct sim_lock_edge *e = d->edges; e; e = e->next)
    if (e->from == from && e->to == to) return e;
  return NULL;
}

// A shortest chain of orders from `from` to `to`, as `from`, ..., `to`; its length. There
// is one, or the caller is wrong.
static u32 find_chain(const struct sim_lockdep *d, u32 from, u32 to, u8 *chain) {
  u8 parent[SIM_LOCK_CLASSES_MAX] = {0};
  u8 queue[SIM_LOCK_CLASSES_MAX];
  u32 head = 0, tail = 0;
  queue[tail++] = (u8)from;
  u64 seen = 1ull << from;
  while (head < tail && !(seen & (1ull << to))) {
    u32 at = queue[head++];
    for (u32 c = 1; c < d->num; c++) {
      if (seen & (1ull << c) || !find_edge(d, at, c)) continue;
      seen |= 1ull << c;
      parent[c] = (u8)at;
      queue[tail++] = (u8)c;
    }
  }
  SIM_ASSERT(seen & (1ull << to));
  u32 len = 1;
  for (u32 c = to; c != from; c = parent[c]) len++;
  u32 i = len;
  for (u32 c = to;; c = parent[c]) {
    chain[--i] = (u8)c;
    if (c == from) break;
  }
  return len;
}

static size_t append(char *out, size_t len, size_t at, const char *text) {
  if (at >= len) return at;
  int n = snprintf(out + at, len - at, "%s", text);
  return at + (size_t)n;
}

// The class names of a cycle or chain, "a>b>c": a cycle from its least name on, so that
// it is the same whichever order came last.
static void chain_names(const struct sim_lockdep *d, const u8 *chain, u32 num, bool cycle,
                        char *out, size_t len) {
  u32 first = 0;
  for (u32 i = 1; cycle && i < num; i++)
    if (strcmp(d->cls[chain[i]]->name, d->cls[chain[first]]->name) < 0) first = i;
  size_t at = 0;
  out[0] = 0;
  for (u32 i = 0; i < num; i++) {
    if (i) at = append(out, len, at, ">");
    at = append(out, len, at, d->cls[chain[(first + i) % num]]->name);
  }
}

// `cls` is taken while `held` is held, though `held` is taken while `cls` is.
SIM_COLD static void report_cycle(const struct sim_lockdep *d, const struct sim_task *task, u16 cls,
                                  struct sim_site *site, const struct sim_held_lock *held) {
  u8 chain[SIM_LOCK_CLASSES_MAX];
  u32 num = find_chain(d, cls, held->cls, chain);
  char names[SIM_KEY_LEN];
  chain_names(d, chain, num, true, names, sizeof(names));
  const struct sim_lock_edge *e = find_edge(d, chain[0], chain[1]);
  char now[LABEL_LEN], now_from[LABEL_LEN], was[LABEL_LEN], was_from[LABEL_LEN];
  sim_report(&sim_oracle_lock_order, names,
             "%s takes %s at %s holding %s (%s); before, %s was taken at %s holding %s (%s)",
             sim_task_label(task), d->cls[cls]->name, sim_site_label(site, now, sizeof(now)),
             d->cls[held->cls]->name, site_label(held->site, now_from), d->cls[e->to]->name,
             site_label(e->to_site, was), d->cls[e->from]->name,
             site_label(e->from_site, was_from));
}

// ---- New orders, new uses ----

static const char *const kind_name[2] = {"hardirq", "softirq"};

// Notes where `cls` is first used so: it is taken, or held already, at `site`.
static void note_use(struct sim_lockdep *d, const struct sim_task *task, u16 cls,
                     const struct sim_site *site, u32 bit) {
  struct sim_lock_use *use = &d->cls[cls]->first[bit];
  u8 level = sim_context_level(task->preempt_count);
  u32 num = 0;
  use->actor = (u16)sim_actor_of(sim_w->st->cpu);
  use->site = site->canon;
  for (u32 i = task->num_held; i-- > 0 && task->held[i].level == level;) {
    const struct sim_held_lock *h = &task->held[i];
    if (h->cls == cls || num == SIM_LOCK_OUTER_MAX) continue;
    use->outer[num].cls = h->cls;
    use->outer[num++].site = h->site;
  }
}

// "caller#0 at f:spin_lock, holding b (g:spin_lock), a (h:spin_lock)".
static size_t append_use(const struct sim_lockdep *d, u32 cls, u32 bit, char *out, size_t len,
                         size_t at) {
  const struct sim_lock_use *use = &d->cls[cls]->first[bit];
  char label[LABEL_LEN];
  at = append(out, len, at, sim_w->labels[use->actor].text);
  at = append(out, len, at, " at ");
  at = append(out, len, at, site_label(use->site, label));
  for (u32 i = 0; i < SIM_LOCK_OUTER_MAX && use->outer[i].cls; i++) {
    at = append(out, len, at, i ? ", " : ", holding ");
    at = append(out, len, at, d->cls[use->outer[i].cls]->name);
    at = append(out, len, at, " (");
    at = append(out, len, at, site_label(use->outer[i].site, label));
    at = append(out, len, at, ")");
  }
  return at;
}

// Class `c` is held where an interrupt of that kind may land, and one takes `a`: `c` itself,
// or one inside which `c` is taken. Both places are told, and the orders in between.
SIM_COLD static void report_context(const struct sim_lockdep *d, u32 a, u32 c, u32 kind) {
  u8 chain[SIM_LOCK_CLASSES_MAX] = {(u8)a};
  u32 num = a == c ? 1 : find_chain(d, a, c, chain);
  char text[SIM_TEXT_LEN], label[LABEL_LEN];
  const char *what = kind_name[kind];
  size_t at = append(text, sizeof(text), 0, d->cls[a]->name);
  at = append(text, sizeof(text), at, " is taken in a ");
  at = append(text, sizeof(text), at, what);
  at = append(text, sizeof(text), at, " (");
  at = append_use(d, a, kind, text, sizeof(text), at);
  at = append(text, sizeof(text), at, ")");
  for (u32 i = 1; i < num; i++) {
    const struct sim_lock_edge *e = find_edge(d, chain[i - 1], chain[i]);
    at = append(text, sizeof(text), at, i == 1 ? ", " : ", and ");
    at = append(text, sizeof(text), at, d->cls[chain[i]]->name);
    at = append(text, sizeof(text), at, " inside it (");
    at = append(text, sizeof(text), at, site_label(e->to_site, label));
    at = append(text, sizeof(text), at, ")");
  }
  at = append(text, sizeof(text), at, a == c ? ", and" : ", which is");
  at = append(text, sizeof(text), at, " held where one may land (");
  at = append_use(d, c, kind + 2, text, sizeof(text), at);
  append(text, sizeof(text), at, ")");
  // The key is the lock that is held so, whichever way an interrupt finds to it.
  sim_report(&sim_oracle_lock_context, d->cls[c]->name, "%s", text);
}

// A class taken in interrupts, directly or by way of what is taken inside it, against one
// that is held with those interrupts on. A class that is held so is reported once in a run,
// as the kernel's checker ends with its first report: what else leads to it is the same
// defect.
static void check_contexts(struct sim_lockdep *d) {
  for (u32 kind = 0; kind < 2; kind++) {
    u64 in = d->usage[kind], on = d->usage[kind + 2] & ~d->told;
    if (!in || !on) continue;
    for (u32 c = 1; c < d->num; c++) {
      if (!(on & (1ull << c))) continue;
      u64 through = in & (d->cls[c]->before | (1ull << c));
      u32 a = 1;
      if (!through) continue;
      d->told |= 1ull << c;
      if (through & (1ull << c))
        a = c;
      else
        while (!(through & (1ull << a))) a++;
      report_context(d, a, c, kind);
    }
  }
}

static void add_edge(struct sim_lockdep *d, const struct sim_held_lock *held, u16 cls,
                     const struct sim_site *site) {
  struct sim_lock_edge *e = lockdep_alloc(sizeof(*e));
  *e = (struct sim_lock_edge){.next = d->edges,
                              .from = held->cls,
                              .to = cls,
                              .from_site = held->site,
                              .to_site = site->canon};
  d->edges = e;
  u64 more = d->cls[held->cls]->before | 1ull << held->cls;
  for (u32 c = 1; c < d->num; c++)
    if (c == cls || d->cls[c]->before & (1ull << cls)) d->cls[c]->before |= more;
}

void sim_lockdep_news(const struct sim_task *task, u16 cls, struct sim_site *site, u64 held,
                      u8 usage) {
  struct sim_lockdep *d = lockdep();
  bool news = false;
  u8 level = sim_context_level(task->preempt_count);
  for (u32 i = task->num_held; held && i-- > 0 && task->held[i].level == level;) {
    const struct sim_held_lock *h = &task->held[i];
    if (d->cls[cls]->before & (1ull << h->cls)) continue;
    if (h->cls == cls) {
      char label[LABEL_LEN];
      sim_report(&sim_oracle_lock_order, d->cls[cls]->name,
                 "%s takes a second %s at %s: two locks of a class have no order",
                 sim_task_label(task), d->cls[cls]->name,
                 sim_site_label(site, label, sizeof(label)));
    } else if (d->cls[h->cls]->before & (1ull << cls)) {
      report_cycle(d, task, cls, site, h);
    } else {
      add_edge(d, h, cls, site);
      news = true;
    }
  }
  u8 more = usage & (u8)~d->cls[cls]->usage;
  d->cls[cls]->usage |= more;
  for (u32 bit = 0; bit < 4; bit++)
    if (more & (1u << bit)) {
      d->usage[bit] |= 1ull << cls;
      note_use(d, task, cls, site, bit);
    }
  if (news || more) check_contexts(d);
}

// ---- Hooks of the core ----

void sim_lockdep_irqs_on(void) {
  const struct sim_lockdep *d = lockdep();
  struct sim_task *task = sim_cur_task();
  u8 level = sim_context_level(task->preempt_count);
  u8 usage = sim_lock_usage_on(sim_w->st->cpu);
  for (u32 i = task->num_held; i-- > 0 && task->held[i].level == level;) {
    u16 cls = task->held[i].cls;
    if (usage & ~d->cls[cls]->usage)
      sim_lockdep_news(task, cls, sim_site_at(task->held[i].site), 0, usage);
  }
}

void sim_lockdep_irq_exit(u32 num_held) {
  const struct sim_task *task = sim_cur_task();
  if (sim_likely(task->num_held == num_held)) return;
  SIM_ASSERT(task->num_held > num_held);  // a release by the wrong context is refused
  const char *name = lockdep()->cls[task->held[task->num_held - 1].cls]->name;
  char stable[LABEL_LEN], label[LABEL_LEN];
  snprintf(stable, sizeof(stable), "%s held at interrupt end", name);
  sim_fail(&sim_oracle_lock_misuse, stable, "an interrupt ends holding %s, taken at %s", name,
           site_label(task->held[task->num_held - 1].site, label));
}

void sim_lockdep_task_exit(struct sim_task *task) {
  if (sim_likely(task->num_held == 0)) return;
  const char *name = lockdep()->cls[task->held[0].cls]->name;
  char stable[LABEL_LEN], label[LABEL_LEN];
  snprintf(stable, sizeof(stable), "%s held at exit", name);
  sim_fail(&sim_oracle_lock_misuse, stable, "%s ends holding %s, taken at %s", sim_task_label(task),
           name, site_label(task->held[0].site, label));
}
