// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is under test; see subject.h.

#include "tools/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/vdso/image_subject.h"
#include "tools/kernel_tree.h"
#include "tools/model_sha256.h"  // Generated: MODEL_SHA256

_Static_assert(sizeof(MODEL_SHA256) == 65, "a SHA-256 in hexadecimal");
_Static_assert(sizeof(((struct vdso_image *)0)->version) <= sizeof(((struct subject *)0)->version),
               "a version fits");

struct subject subject_model(void) {
  return (struct subject){
      .kind = SUBJECT_MODEL,
      .name = "model",
      .sha256 = MODEL_SHA256,
  };
}

// Whether a decision file can hold the name.
static bool is_writable(const char *name) {
  size_t len = strlen(name), i;

  if (len >= sizeof(((struct subject *)0)->name) || name[len - 1] == ' ') return false;
  for (i = 0; i < len; i++)
    if (name[i] < 0x20 || name[i] > 0x7e) return false;
  return true;
}

static enum sim_status load_image(const char *text, struct subject *out, char *err, size_t len) {
  // One at a time: what was loaded before is nobody's subject any more.
  static struct vdso_images loaded;
  const char *path = text + strlen("image:");
  const struct vdso_image *image;
  char why[200];
  enum sim_status status;

  if (!*path) {
    snprintf(err, len, "a file is missing after image:");
    return SIM_USAGE;
  }
  if (!is_writable(text)) {
    snprintf(err, len,
             "a path of an image has at most %zu bytes, printable ASCII, no blank at its end",
             sizeof(out->name) - 1 - strlen("image:"));
    return SIM_USAGE;
  }
  vdso_images_free(&loaded);
  status = vdso_images_load(path, &loaded, why, sizeof(why));
  if (status) {
    snprintf(err, len, "%s: %s", path, why);
    return status;
  }
  image = vdso_subject_pick(&loaded, why, sizeof(why));
  if (!image) {
    snprintf(err, len, "%s: %s", path, why);
    return SIM_MALFORMED;
  }
  *out = (struct subject){.kind = SUBJECT_IMAGE, .image = image};
  memcpy(out->name, text, strlen(text) + 1);
  memcpy(out->sha256, image->sha256, sizeof(out->sha256));
  memcpy(out->version, image->version, sizeof(image->version));
  return SIM_OK;
}

static enum sim_status load_kernel(const char *text, struct subject *out, char *err, size_t len) {
  struct kernel_tree tree;
  enum sim_status status;

  if (!text[strlen("kernel:")]) {
    snprintf(err, len, "a folder is missing after kernel:");
    return SIM_USAGE;
  }
  if (!is_writable(text)) {
    snprintf(err, len,
             "a path of a tree has at most %zu bytes, printable ASCII, no blank at its end",
             sizeof(out->name) - 1 - strlen("kernel:"));
    return SIM_USAGE;
  }
  status = kernel_tree_load(text + strlen("kernel:"), &tree, err, len);
  if (status) return status;
  *out = (struct subject){.kind = SUBJECT_KERNEL, .kernel = tree.object};
  memcpy(out->name, text, strlen(text) + 1);
  memcpy(out->sha256, tree.sha256, sizeof(out->sha256));
  memcpy(out->version, tree.version, sizeof(out->version));
  return SIM_OK;
}

enum sim_status subject_parse(const char *text, const struct sim_scenario *scenario,
                              struct subject *out, char *err, size_t len) {
  const char *kinds = scenario->takes_image    ? "model, image:FILE"
                      : scenario->takes_kernel ? "model, kernel:DIR"
                                               : "model";

  if (!strcmp(text, "model")) {
    *out = subject_model();
    return SIM_OK;
  }
  if (!strncmp(text, "kernel:", 7) && scenario->takes_kernel)
    return load_kernel(text, out, err, len);
  if (!strncmp(text, "image:", 6) && scenario->takes_image) return load_image(text, out, err, len);
  if (!strncmp(text, "image:", 6) || !strncmp(text, "kernel:", 7))
    snprintf(err, len, "%s does not take the subject '%.200s'; it takes: %s", scenario->name, text,
             kinds);
  else
    snprintf(err, len, "'%.200s' is not a subject; %s takes: %s", text, scenario->name, kinds);
  return SIM_USAGE;
}

void subject_use(const struct subject *subject) {
  vdso_subject_set(subject->image);
  kernel_subject_set(subject->kernel);
}

const char *subject_commit(void) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789._-";
  const char *commit = getenv("SEEDBED_COMMIT");

  if (!commit || !*commit || strlen(commit) > 63 || strspn(commit, allowed) != strlen(commit))
    return "unknown";
  return commit;
}
