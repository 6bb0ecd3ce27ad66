// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bench_report.h.
#include "tools/bench_report.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "tools/text.h"

static void cpu_name(char *out, size_t len) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  char line[256];

  snprintf(out, len, "unknown processor");
  while (file && fgets(line, sizeof(line), file)) {
    char *colon = strchr(line, ':');

    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(out, len, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
}

char *bench_machine(void) {
  char name[128];
  cpu_set_t cpus;

  cpu_name(name, sizeof(name));
  if (sched_getaffinity(0, sizeof(cpus), &cpus)) CPU_ZERO(&cpus);
  return xasprintf("%s, %d CPUs, %s, switch by %s", name, CPU_COUNT(&cpus),
#ifdef __clang__
                   "clang " __clang_version__,
#else
                   "gcc " __VERSION__,
#endif
#ifdef SIM_UCONTEXT
                   "swapcontext"
#else
                   "hand"
#endif
  );
}

void bench_json_row(cJSON *array, const char *name, const char *unit, double value, double target) {
  cJSON *item = cJSON_CreateObject();

  cJSON_AddStringToObject(item, "row", name);
  cJSON_AddStringToObject(item, "unit", unit);
  cJSON_AddNumberToObject(item, "value", value);
  if (target > 0)
    cJSON_AddNumberToObject(item, "target", target);
  else
    cJSON_AddNullToObject(item, "target");
  cJSON_AddItemToArray(array, item);
}
