// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_guest.h.

#include "tools/kernel_guest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/vdso/image_branches.h"
#include "models/vdso/vdso_scenarios.h"
#include "tools/child.h"
#include "tools/text.h"

// What the script says by its status; what else it may say is a defect of ours.
static enum sim_status status_of(const struct child_result *child) {
  static const enum sim_status passed_on[] = {SIM_MALFORMED, SIM_MISSING_FILE, SIM_MISSING_PACKAGE};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(passed_on); i++)
    if (child->end == CHILD_EXITED && child->code == (int)passed_on[i]) return passed_on[i];
  return SIM_OURS;
}

static const char *arch_name(const struct sim_params *params) {
  s64 arch = 0, compat = 0;

  if (!sim_params_get(params, "arch", &arch)) return vdso_arch_names[2];
  if (sim_params_get(params, "vdso32", &compat) && compat &&
      !strcmp(vdso_arch_names[arch], "ppc32"))
    return "ppc32-compat";
  return vdso_arch_names[arch];
}

// Runs tools/NAME on `dir`, whose output is the path of what it made; `arch` may be NULL.
static enum sim_status run_script(const char *name, const char *dir, const char *arch, char *out,
                                  size_t out_len, char *err, size_t err_len) {
  const char *root = getenv("SEEDBED_ROOT");
  char *script = xasprintf("%s/tools/%s", root && *root ? root : ".", name);
  const char *const argv[] = {script, dir, arch, NULL};
  enum sim_status status = SIM_OURS;
  struct child_result child;

  if (access(script, X_OK)) {
    snprintf(err, err_len, "%s: no such script; SEEDBED_ROOT is the top of seedbed's tree", script);
    free(script);
    return SIM_MISSING_FILE;
  }
  child_exec(script, argv, &child);
  if (child.end == CHILD_EXITED && !child.code) {
    const char *path = text_str(&child.out);
    size_t len = strcspn(path, "\n");

    // One line, a path.
    if (len && len < out_len && path[len] == '\n' && !path[len + 1]) {
      memcpy(out, path, len);
      out[len] = '\0';
      status = SIM_OK;
    }
  } else {
    status = status_of(&child);
  }
  child_result_free(&child);
  free(script);
  *err = '\0';
  return status;
}

enum sim_status kernel_vdso(const char *dir, const struct sim_params *params, char *out,
                            size_t out_len, char *err, size_t err_len) {
  const char *arch = arch_name(params);
  enum sim_status status = run_script("kernel-vdso", dir, arch, out, out_len, err, err_len);

  if (status && !*err) snprintf(err, err_len, "no vDSO was made of %s for %s", dir, arch);
  return status;
}

enum sim_status kernel_archrandom(const char *dir, char *out, size_t out_len, char *err,
                                  size_t err_len) {
  enum sim_status status = run_script("kernel-archrandom", dir, NULL, out, out_len, err, err_len);

  if (status && !*err)
    snprintf(err, err_len, "nothing that a guest can run was made of the archrandom.h in %s", dir);
  return status;
}

bool kernel_guest_is_whole(const struct vdso_image *image, char *err, size_t len) {
  u64 at = 0, to = 0;

  if (image->num_undefined || image->num_relocs) {
    snprintf(err, len, "%u undefined symbols, %u relocations", image->num_undefined,
             image->num_relocs);
    return false;
  }
  if (vdso_image_branches_stay(image, &at, &to)) return true;
  snprintf(err, len, "the branch at 0x%" PRIx64 " leaves the image, to 0x%" PRIx64, at, to);
  return false;
}
