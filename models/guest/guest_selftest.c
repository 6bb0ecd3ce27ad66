// SPDX-License-Identifier: GPL-2.0-only
#include "models/guest/guest_selftest.h"

#include <stdio.h>

#include "models/guest/guest_impl.h"

const char *guest_library(void) {
  static char text[64];
  unsigned int major, minor;
  int cs_major, cs_minor;
  unsigned int version = uc_version(&major, &minor);
  cs_version(&cs_major, &cs_minor);
  snprintf(text, sizeof(text), "Unicorn %u.%u.%u, Capstone %d.%d", major, minor,
           version >> 8 & 0xff, cs_major, cs_minor);
  return text;
}
