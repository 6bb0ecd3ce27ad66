// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is under test, and under which commit: what every line and file of the command
// carries.
#ifndef SEEDBED_TOOLS_SUBJECT_H_
#define SEEDBED_TOOLS_SUBJECT_H_

#include "models/kernel/kernel_object.h"
#include "models/vdso/image.h"
#include "sim/base.h"
#include "sim/scenario.h"

enum subject_kind {
  SUBJECT_MODEL,   // built in: the sources below models/
  SUBJECT_IMAGE,   // a vDSO, or a kernel image from which it is carved
  SUBJECT_KERNEL,  // objects built from a kernel tree
};

struct subject {
  enum subject_kind kind;
  char name[256];    // as --subject takes it: "model", "image:FILE", "kernel:DIR"
  char sha256[65];   // hexadecimal, lower case; of an image or a kernel: of the vDSO itself
  char version[32];  // kernel version ("6.12.9"); "" where it has none, as the model
  // What scenarios run on; NULL for the built-in subject. Lives until the next call of
  // subject_parse or subject_complete that loads one.
  const struct vdso_image *image;
  const struct vdso_image *guest;  // the same, of functions of a tree that a guest executes
  struct kernel_object
      *kernel;  // the same, of files of a kernel tree; lives as long as the process
};

// The built-in subject; its SHA-256 is that of the sources below models/, computed when
// the command was built, so it is the same in every configuration.
struct subject subject_model(void);

// Parses the argument of --subject for a run of `scenario`, and loads the image or the tree that it
// names; a tree of which a guest's code is to be compiled is only named, and looked at by
// subject_complete.
// Otherwise `err` has a reason and `out` is unchanged: SIM_USAGE, an unknown kind, one that the
// scenario does not take, or a path that no decision file could hold (more than 249 bytes, a byte
// that is not printable ASCII, a blank at its end); SIM_MISSING_FILE, the file cannot be read, or a
// tree has no such file; SIM_MALFORMED, it holds no vDSO that runs here, or more than one, or a
// tree's files do not compile (tools/kernel has told what the compiler said); SIM_MISSING_PACKAGE,
// there is no compiler.
SIM_MUST_CHECK enum sim_status subject_parse(const char *text, const struct sim_scenario *scenario,
                                             struct subject *out, char *err, size_t len);

// Completes a subject that depends on the parameters, when these are set: of `kernel:DIR` the vDSO
// is compiled for their architecture by tools/kernel-vdso, or arm64's archrandom.h by
// tools/kernel-archrandom, which say themselves why they cannot; `err` is one line more. Else
// SIM_OK, and nothing is done. SIM_MISSING_FILE, DIR or a file of it is missing; SIM_MALFORMED, it
// does not compile, or to nothing that a guest can run; SIM_MISSING_PACKAGE, a program is missing.
SIM_MUST_CHECK enum sim_status subject_complete(struct subject *subject,
                                                const struct sim_scenario *scenario,
                                                const struct sim_params *params, char *err,
                                                size_t len);

// Whether it is known which kernel it is.
bool subject_has_version(const struct subject *subject);

// Hands the subject to the scenarios: before a world is set up for it.
void subject_use(const struct subject *subject);

// The commit of the tree: the launcher's SEEDBED_COMMIT, "unknown" where that is unset,
// empty, longer than 63 bytes, or holds anything but letters, digits, '.', '_' and '-'.
const char *subject_commit(void);

#endif  // SEEDBED_TOOLS_SUBJECT_H_
