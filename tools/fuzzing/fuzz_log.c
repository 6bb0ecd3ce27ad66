// SPDX-License-Identifier: GPL-2.0-or-later
//
// The log of a campaign; see fuzz_log.h.

#include "tools/fuzzing/fuzz_log.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/findings.h"
#include "tools/output.h"

enum { LOG_LEN_MAX = 1 << 30 };

const char *fuzz_engine_name(enum fuzz_engine engine) {
  switch (engine) {
    case FUZZ_ENGINE_LIBFUZZER:
      return "libfuzzer";
    case FUZZ_ENGINE_AFL:
      return "aflpp";
    case FUZZ_ENGINE_NONE:
      break;
  }
  return "none";
}

enum fuzz_engine fuzz_engine_by_name(const char *name) {
  if (!strcmp(name, "libfuzzer")) return FUZZ_ENGINE_LIBFUZZER;
  if (!strcmp(name, "aflpp")) return FUZZ_ENGINE_AFL;
  return FUZZ_ENGINE_NONE;
}

// The numbers of a record, by their names in a line.
static const struct {
  const char *name;
  size_t at;
} numbers[] = {
    {"start_ms", offsetof(struct fuzz_record, start_ms)},
    {"ms", offsetof(struct fuzz_record, ms)},
    {"executions", offsetof(struct fuzz_record, executions)},
    {"executions_per_second", offsetof(struct fuzz_record, rate)},
    {"features", offsetof(struct fuzz_record, features)},
    {"edges", offsetof(struct fuzz_record, edges)},
    {"corpus", offsetof(struct fuzz_record, corpus)},
    {"new", offsetof(struct fuzz_record, found)},
    {"failures", offsetof(struct fuzz_record, failures)},
    {"findings", offsetof(struct fuzz_record, findings)},
    {"set_aside", offsetof(struct fuzz_record, set_aside)},
};

void fuzz_record_line(const struct fuzz_record *record, struct text *text) {
  cJSON *object = cJSON_CreateObject();
  char *line;

  cJSON_AddStringToObject(object, "slice", record->id);
  cJSON_AddStringToObject(object, "target", record->target);
  cJSON_AddStringToObject(object, "engine", fuzz_engine_name(record->engine));
  for (u32 i = 0; i < SIM_ARRAY_SIZE(numbers); i++) {
    u64 value;

    memcpy(&value, (const char *)record + numbers[i].at, sizeof(value));
    json_u64(object, numbers[i].name, value);
  }
  cJSON_AddNumberToObject(object, "status", record->status);
  if (*record->bug) cJSON_AddStringToObject(object, "bug", record->bug);
  cJSON_AddStringToObject(object, "ended", record->ended);
  line = cJSON_PrintUnformatted(object);
  if (!line) abort();
  text_add(text, line);
  text_add(text, "\n");
  cJSON_free(line);
  cJSON_Delete(object);
}

static bool take_text(const cJSON *object, const char *name, char *out, size_t len) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

  if (!cJSON_IsString(item) || strlen(item->valuestring) >= len) return false;
  snprintf(out, len, "%s", item->valuestring);
  return true;
}

// A whole number of at most 53 bits: what JSON holds.
static bool take_number(const cJSON *object, const char *name, u64 *out) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

  if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 0x1p53))
    return false;
  *out = (u64)item->valuedouble;
  return true;
}

// A name that is used as one component of a path.
static bool is_name(const char *s) {
  return *s && *s != '.' && !strchr(s, '/') && s[strcspn(s, "\n\r\t \"'\\")] == '\0';
}

bool fuzz_record_parse(const char *line, size_t len, struct fuzz_record *out) {
  struct fuzz_record record = {0};
  const char *end = NULL;
  char engine[32];
  cJSON *object;
  u64 status = 0;
  bool good;

  if (len > FUZZ_LINE_LEN_MAX || memchr(line, '\0', len)) return false;
  object = cJSON_ParseWithLengthOpts(line, len, &end, false);
  good = cJSON_IsObject(object) && end == line + len &&
         take_text(object, "slice", record.id, sizeof(record.id)) &&
         take_text(object, "target", record.target, sizeof(record.target)) &&
         take_text(object, "engine", engine, sizeof(engine)) &&
         take_text(object, "ended", record.ended, sizeof(record.ended)) &&
         (!cJSON_HasObjectItem(object, "bug") ||
          take_text(object, "bug", record.bug, sizeof(record.bug))) &&
         take_number(object, "status", &status) && status <= SIM_OURS && is_name(record.target);
  for (u32 i = 0; good && i < SIM_ARRAY_SIZE(numbers); i++) {
    u64 value;

    good = take_number(object, numbers[i].name, &value);
    if (good) memcpy((char *)&record + numbers[i].at, &value, sizeof(value));
  }
  if (good) {
    record.engine = fuzz_engine_by_name(engine);
    record.status = (enum sim_status)status;
    good = record.engine != FUZZ_ENGINE_NONE;
  }
  cJSON_Delete(object);
  if (good) *out = record;
  return good;
}

bool fuzz_log_read(const char *path, struct fuzz_log *out, char *err, size_t len) {
  struct text text = {0};
  u32 cap = 0;

  *out = (struct fuzz_log){0};
  if (!read_file(path, LOG_LEN_MAX, &text)) {
    if (errno == ENOENT) return true;
    snprintf(err, len, "cannot read %s: %s", path, strerror(errno));
    return false;
  }
  for (size_t at = 0; at < text.len;) {
    const char *line = text.s + at, *end = memchr(line, '\n', text.len - at);
    size_t line_len = end ? (size_t)(end - line) : text.len - at;

    at += line_len + 1;
    if (out->count == cap) {
      cap = cap ? 2 * cap : 64;
      out->record = xrealloc(out->record, cap * sizeof(*out->record));
    }
    // The last line without its newline was torn, whatever it says.
    if (end && fuzz_record_parse(line, line_len, &out->record[out->count]))
      out->count++;
    else if (line_len)
      out->passed_over++;
  }
  text_free(&text);
  return true;
}

void fuzz_log_free(struct fuzz_log *log) {
  free(log->record);
  *log = (struct fuzz_log){0};
}

bool fuzz_log_has(const struct fuzz_log *log, const char *id) {
  for (u32 i = log->count; i > 0; i--)
    if (!strcmp(log->record[i - 1].id, id)) return true;
  return false;
}

// Returns 0 or an error number; the file is then as it was.
static int add_line(int fd, const struct text *line, off_t end) {
  ssize_t done;

  do {
    done = write(fd, line->s, line->len);
  } while (done < 0 && errno == EINTR);
  if (done == (ssize_t)line->len && !fsync(fd)) return 0;
  if (done >= 0 && done < (ssize_t)line->len) errno = ENOSPC;
  done = errno;
  if (ftruncate(fd, end)) return errno;
  return (int)done;
}

bool fuzz_log_add(const char *path, const struct fuzz_record *record, char *err, size_t len) {
  int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), error = 0;
  struct text line = {0};
  off_t end = 0;
  char last;

  if (fd < 0 || flock(fd, LOCK_EX) || (end = lseek(fd, 0, SEEK_END)) < 0) error = errno;
  if (!error && end > 0) {
    if (pread(fd, &last, 1, end - 1) != 1)
      error = EIO;
    else if (last != '\n')
      text_add(&line, "#\n");  // what was torn is no record, even if it lacks nothing but its end
  }
  if (!error) {
    fuzz_record_line(record, &line);
    error = add_line(fd, &line, end);
  }
  if (fd >= 0) close(fd);
  text_free(&line);
  if (error) snprintf(err, len, "cannot write %s: %s", path, strerror(error));
  return !error;
}
