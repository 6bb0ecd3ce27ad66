// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is under test; see subject.h.

#include "tools/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/arm64/arm64_tree.h"
#include "models/vdso/image_subject.h"
#include "tools/kernel_tree.h"
#include "tools/kernel_guest.h"
#include "tools/model_sha256.h"  // Generated: MODEL_SHA256
#include "tools/tree_crash.h"

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

// Sets all but kind and name; a guest's functions, if `is_guest`, or a vDSO.
static enum sim_status load_image(const char *path, bool is_guest, struct subject *out, char *err,
                                  size_t len) {
  // One at a time: what was loaded before is nobody's subject any more.
  static struct vdso_images loaded;
  const struct vdso_image *image;
  char why[200];
  enum sim_status status;

  vdso_images_free(&loaded);
  status = vdso_images_load(path, &loaded, why, sizeof(why));
  if (status) {
    snprintf(err, len, "%s: %s", path, why);
    return status;
  }
  image = is_guest ? &loaded.image[0] : vdso_subject_pick(&loaded, why, sizeof(why));
  if (!image) {
    snprintf(err, len, "%s: %s", path, why);
    return SIM_MALFORMED;
  }
  if (is_guest)
    out->guest = image;
  else
    out->image = image;
  memcpy(out->sha256, image->sha256, sizeof(out->sha256));
  memcpy(out->version, image->version, sizeof(image->version));
  return SIM_OK;
}

// A subject of a path, of which nothing is known yet.
static enum sim_status take_name(const char *text, enum subject_kind kind, struct subject *out,
                                 char *err, size_t len) {
  const char *colon = strchr(text, ':');

  if (!colon[1]) {
    snprintf(err, len, "a %s is missing after %s", kind == SUBJECT_IMAGE ? "file" : "folder", text);
    return SIM_USAGE;
  }
  if (!is_writable(text)) {
    snprintf(err, len, "a path of a%s has at most %zu bytes, printable ASCII, no blank at its end",
             kind == SUBJECT_IMAGE ? "n image" : " kernel",
             sizeof(out->name) - 2 - (size_t)(colon - text));
    return SIM_USAGE;
  }
  *out = (struct subject){.kind = kind};
  memcpy(out->name, text, strlen(text) + 1);
  return SIM_OK;
}

static enum sim_status parse_image(const char *text, struct subject *out, char *err, size_t len) {
  struct subject subject;
  enum sim_status status = take_name(text, SUBJECT_IMAGE, &subject, err, len);

  if (!status) status = load_image(text + strlen("image:"), false, &subject, err, len);
  if (!status) *out = subject;
  return status;
}

static enum sim_status parse_kernel(const char *text, struct subject *out, char *err, size_t len) {
  struct subject subject;
  struct kernel_tree tree;
  enum sim_status status;

  status = take_name(text, SUBJECT_KERNEL, &subject, err, len);
  if (!status) status = kernel_tree_load(text + strlen("kernel:"), &tree, err, len);
  if (status) return status;
  *out = subject;
  out->kernel = tree.object;
  memcpy(out->sha256, tree.sha256, sizeof(out->sha256));
  memcpy(out->version, tree.version, sizeof(out->version));
  return SIM_OK;
}

enum sim_status subject_complete(struct subject *subject, const struct sim_scenario *scenario,
                                 const struct sim_params *params, char *err, size_t len) {
  const char *dir = subject->name + strlen("kernel:");
  bool is_guest = scenario->takes_guest;
  char path[4096], why[300];
  enum sim_status status;

  if (subject->kind != SUBJECT_KERNEL || subject->kernel) return SIM_OK;
  status = is_guest ? kernel_archrandom(dir, path, sizeof(path), err, len)
                    : kernel_vdso(dir, params, path, sizeof(path), err, len);
  if (status) return status;
  status = load_image(path, is_guest, subject, why, sizeof(why));
  if (!status &&
      !kernel_guest_is_whole(is_guest ? subject->guest : subject->image, why, sizeof(why)))
    status = SIM_MALFORMED;
  if (!status && is_guest && !arm64_tree_set(subject->guest, why, sizeof(why)))
    status = SIM_MALFORMED;
  if (status) snprintf(err, len, "%s: %s", subject->name, why);
  return status;
}

enum sim_status subject_parse(const char *text, const struct sim_scenario *scenario,
                              struct subject *out, char *err, size_t len) {
  const char *kinds = scenario->takes_image ? "model, image:FILE, kernel:DIR"
                      : scenario->takes_kernel || scenario->takes_guest ? "model, kernel:DIR"
                                                                        : "model";

  if (!strcmp(text, "model")) {
    *out = subject_model();
    return SIM_OK;
  }
  if (!strncmp(text, "image:", 6) && scenario->takes_image) return parse_image(text, out, err, len);
  if (!strncmp(text, "kernel:", 7) && scenario->takes_kernel)
    return parse_kernel(text, out, err, len);
  // What it takes as an image is made of a kernel tree, too.
  if (!strncmp(text, "kernel:", 7) && (scenario->takes_image || scenario->takes_guest))
    return take_name(text, SUBJECT_KERNEL, out, err, len);
  if (!strncmp(text, "image:", 6) || !strncmp(text, "kernel:", 7))
    snprintf(err, len, "%s does not take the subject '%.200s'; it takes: %s", scenario->name, text,
             kinds);
  else
    snprintf(err, len, "'%.200s' is not a subject; %s takes: %s", text, scenario->name, kinds);
  return SIM_USAGE;
}

bool subject_has_version(const struct subject *subject) {
  // Of a Makefile that has none of a version's lines a note says 0.
  return *subject->version && strncmp(subject->version, "0.", 2);
}

void subject_use(const struct subject *subject) {
  char why[300];

  vdso_subject_set(subject->image);
  kernel_subject_set(subject->kernel);
  if (subject->kernel) tree_crash_catch();
  if (!arm64_tree_set(subject->guest, why, sizeof(why))) SIM_ASSERT(!"it was looked at");
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
