// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hw_fifo.h.
#include "models/hwrng/hw_fifo.h"

#include "models/hwrng/hwrng_world.h"
#include "sim/choice.h"
#include "sim/cover.h"
#include "sim/world.h"

void hw_fifo_init(struct hw_fifo *fifo, u8 source, u32 word_ns, u32 words_max) {
  SIM_ASSERT(word_ns > 0);
  SIM_ASSERT(words_max >= 1 && words_max <= 255);
  *fifo = (struct hw_fifo){
      .word_ns = word_ns,
      .words_max = words_max,
      .next_ns = UINT64_MAX,
      .source = source,
  };
}

// Begins the next word if there is room and none has been begun.
static void produce(struct hw_fifo *fifo) {
  u64 begin_ns = fifo->now_ns;

  if (!fifo->on || fifo->dead || fifo->next_ns != UINT64_MAX) return;
  if (fifo->level == fifo->words_max || fifo->stuck_until_ns == UINT64_MAX) return;
  if (fifo->stuck_until_ns > begin_ns) begin_ns = fifo->stuck_until_ns;
  fifo->next_ns = begin_ns + fifo->startup_ns + fifo->word_ns;
}

// Gives up the word that has been begun.
static void interrupt_production(struct hw_fifo *fifo) {
  fifo->startup_ns = hw_fifo_startup_left(fifo);
  fifo->next_ns = UINT64_MAX;
}

void hw_fifo_advance(struct hw_fifo *fifo) {
  u64 clock_ns = sim_clock_ns();
  u64 words;
  u32 room;

  if (clock_ns > fifo->now_ns) fifo->now_ns = clock_ns;
  if (fifo->next_ns > fifo->now_ns) return;
  // One word is complete; others followed it without a gap.
  words = 1 + (fifo->now_ns - fifo->next_ns) / fifo->word_ns;
  room = fifo->words_max - fifo->level;
  fifo->startup_ns = 0;
  if (words >= room) {
    fifo->level = fifo->words_max;
    fifo->next_ns = UINT64_MAX;
  } else {
    fifo->level += (u32)words;
    fifo->next_ns += words * fifo->word_ns;
  }
}

void hw_fifo_start(struct hw_fifo *fifo, u64 startup_ns) {
  fifo->on = true;
  fifo->startup_ns = startup_ns;
  fifo->next_ns = UINT64_MAX;
  produce(fifo);
}

void hw_fifo_stop(struct hw_fifo *fifo) {
  interrupt_production(fifo);
  fifo->on = false;
  fifo->level = 0;
}

void hw_fifo_reset(struct hw_fifo *fifo) {
  hw_fifo_stop(fifo);
  fifo->startup_ns = 0;
  fifo->stuck_until_ns = 0;
  fifo->dead = false;
}

u64 hw_fifo_startup_left(const struct hw_fifo *fifo) {
  u64 begin_ns;

  if (fifo->next_ns == UINT64_MAX) return fifo->startup_ns;
  begin_ns = fifo->next_ns - fifo->word_ns;
  if (begin_ns <= fifo->now_ns) return 0;
  return begin_ns - fifo->now_ns < fifo->startup_ns ? begin_ns - fifo->now_ns : fifo->startup_ns;
}

u32 hw_fifo_take(struct hw_fifo *fifo) {
  sim_cover_state(3, fifo->level);
  if (fifo->level == 0 && fifo->next_ns != UINT64_MAX) {
    // This CPU's clock may be behind the time line.
    sim_elapse_at(SIM_SITE("bus_wait"), fifo->next_ns - sim_clock_ns());
    hw_fifo_advance(fifo);
  }
  if (fifo->level == 0) return 0;
  fifo->level--;
  produce(fifo);
  return hw_words_take(&hwrng_world()->words, fifo->source);
}

u64 hw_fifo_due_ns(const struct hw_fifo *fifo) {
  return fifo->level ? fifo->now_ns : fifo->next_ns;
}

bool hw_fifo_draw_late(struct hw_fifo *fifo, struct sim_site *site, u64 late_ns_max) {
  u64 quarters = sim_choose(sim_w, site, 5);

  if (!quarters || fifo->next_ns == UINT64_MAX) return false;
  fifo->next_ns += quarters * late_ns_max / 4;
  return true;
}

bool hw_fifo_draw_stuck(struct hw_fifo *fifo, struct sim_site *site) {
  static const u64 stuck_ns[] = {0, 1000000, 50000000, 1000000000};
  u32 how = sim_choose(sim_w, site, 5);

  if (!how) return false;
  interrupt_production(fifo);
  fifo->stuck_until_ns = how == 4 ? UINT64_MAX : fifo->now_ns + stuck_ns[how];
  produce(fifo);
  return true;
}

bool hw_fifo_draw_dead(struct hw_fifo *fifo, struct sim_site *site) {
  if (!sim_choose(sim_w, site, 2)) return false;
  interrupt_production(fifo);
  fifo->level = 0;
  fifo->dead = true;
  return true;
}

u32 hw_fifo_draw_count(struct hw_fifo *fifo, struct sim_site *site) {
  bool prompt = fifo->on && !fifo->dead && fifo->stuck_until_ns <= fifo->now_ns &&
                (fifo->next_ns == UINT64_MAX || fifo->next_ns <= fifo->now_ns + fifo->word_ns);

  switch (sim_choose(sim_w, site, prompt ? 5 : 3)) {
    case 1:
      return 0;
    case 2:
      return fifo->level ? fifo->level - 1 : 0;
    case 3:
      return fifo->level < 255 ? fifo->level + 1 : 255;
    case 4:
      return 255;
    default:
      return fifo->level;
  }
}

void hw_fifo_heal(struct hw_fifo *fifo) {
  if (fifo->stuck_until_ns > fifo->now_ns) interrupt_production(fifo);
  fifo->stuck_until_ns = 0;
  fifo->dead = false;
  produce(fifo);
}
