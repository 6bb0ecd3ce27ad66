// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of inputs, each file named by the SHA-1 of its content as libFuzzer names them. A file
// comes by a rename, so that one with such a name is whole; a folder is replaced by an exchange of
// names, so that it is the old one or the new one.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_CORPUS_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_CORPUS_H_

#include "tools/text.h"

enum { FUZZ_HASH_LEN = 41, FUZZ_INPUT_LEN_MAX = 1 << 20 };

// The files of a folder that are regular, by name; those that begin with a dot are left out. A
// folder that is not there is empty.
struct fuzz_files {
  char **name;
  u32 count;
};
void fuzz_files_list(const char *dir, struct fuzz_files *out);
void fuzz_files_free(struct fuzz_files *files);

// The SHA-1 of bytes, and of a file; false if that cannot be read, or is too long for an input.
void fuzz_hash(const void *bytes, size_t len, char out[FUZZ_HASH_LEN]);
SIM_MUST_CHECK bool fuzz_hash_file(const char *path, char out[FUZZ_HASH_LEN]);

// Makes a folder, and those above it. False with a reason.
SIM_MUST_CHECK bool fuzz_folder_make(const char *path, char *err, size_t len);
// Removes a folder with all that is in it; what cannot be removed stays.
void fuzz_folder_remove(const char *path);

enum fuzz_added { FUZZ_ADDED, FUZZ_ADDED_BEFORE, FUZZ_ADDED_NOT };
// Puts the file's content into `dir`. By way of a name beside the folder, so that nobody who reads
// the folder sees half a file. NOT, with a reason: the machine refused; what can never be an input
// (too long, or gone) is BEFORE.
enum fuzz_added fuzz_corpus_add(const char *dir, const char *path, char *err, size_t len);
enum fuzz_added fuzz_corpus_add_bytes(const char *dir, const void *bytes, size_t bytes_len,
                                      char *err, size_t len);
// The same under another name, which is one of this content.
enum fuzz_added fuzz_corpus_add_named(const char *dir, const char *name, const void *bytes,
                                      size_t bytes_len, char *err, size_t len);

// Puts the folder `made` in the place of `dir`, in one step, and removes what was there. `made` is
// flushed first. False with a reason: `dir` is as it was.
SIM_MUST_CHECK bool fuzz_corpus_replace(const char *made, const char *dir, char *err, size_t len);
// Mends what a kill left of that: `dir` is there again, the other folder gone.
void fuzz_corpus_mend(const char *made, const char *dir);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_CORPUS_H_
