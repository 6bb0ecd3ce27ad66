// SPDX-License-Identifier: GPL-2.0-or-later
//
// suspects FILE: renews the replay and key lines of docs/SUSPECTS.md, in place, by the
// first seed of each suspect at which its oracle fires.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/testing/evidence.h"

enum { SEEDS_MAX = 1000000 };

// Copies `in` to `out` with new lines where there are such. Returns whether each suspect
// was found.
static bool renew(FILE *in, FILE *out) {
  struct evidence evidence = {.key = ""};
  char line[512];
  bool ok = true;

  while (fgets(line, sizeof(line), in)) {
    struct evidence old_key;

    if (evidence_parse(line, &evidence)) {
      if (!evidence_find(&evidence, SEEDS_MAX)) {
        fprintf(stderr, "%s: suspect.%s: no seed below %d\n", evidence.scenario, evidence.suspect,
                SEEDS_MAX);
        ok = false;
      }
      fprintf(out, "- Replay: `tools/seedbed replay %s --seed=%" PRIu64 " --set suspect.%s=1`\n",
              evidence.scenario, evidence.seed, evidence.suspect);
    } else if (evidence_parse_key(line, &old_key) && evidence.key[0]) {
      fprintf(out, "- Key: `%s`\n", evidence.key);
    } else {
      fputs(line, out);
    }
  }
  return ok;
}

int main(int argc, char **argv) {
  char path[4096];
  FILE *in, *out;
  bool ok;

  if (argc != 2) {
    fprintf(stderr, "usage: suspects FILE\n");
    return SIM_USAGE;
  }
  snprintf(path, sizeof(path), "%s.new", argv[1]);
  in = fopen(argv[1], "r");
  if (!in) {
    fprintf(stderr, "%s: cannot be read\n", argv[1]);
    return SIM_MISSING_FILE;
  }
  out = fopen(path, "w");
  if (!out) {
    fclose(in);
    fprintf(stderr, "%s: cannot be written\n", path);
    return SIM_MISSING_FILE;
  }
  ok = renew(in, out);
  fclose(in);
  if (fclose(out) != 0) ok = false;
  if (!ok || rename(path, argv[1]) != 0) {
    fprintf(stderr, "%s is as it was; %s may hold what was found\n", argv[1], path);
    return SIM_OURS;
  }
  return 0;
}
