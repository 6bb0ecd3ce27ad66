// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of the kinds of events.
#include "sim/trace.h"

static const char *const names[] = {
#define X(id, name) name,
    SIM_EVENTS(X)
#undef X
};

const char *sim_event_name(enum sim_event_kind kind) {
  SIM_ASSERT(kind < SIM_EVENT_COUNT);
  return names[kind];
}
