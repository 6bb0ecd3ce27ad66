// SPDX-License-Identifier: GPL-2.0-or-later
//
// The status page; see fuzz_page.h. Sections: text; plots; SVG; the page.

#include "tools/fuzzing/fuzz_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_minder.h"
#include "tools/fuzzing/fuzz_slice.h"

enum { SVG_LEN_MAX = 1 << 22, POINTS_MAX = 200, GNUPLOT_MS = 120000, TICKS = 3, STAMP_LEN = 64 };

// One colour an engine, to be told apart on white and on black.
static const char *const colour[] = {
    [FUZZ_ENGINE_LIBFUZZER] = "#2f7ed8", [FUZZ_ENGINE_AFL] = "#e08214"};

// ---- Text ----

void fuzz_page_add_text(struct text *page, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '&':
        text_add(page, "&amp;");
        break;
      case '<':
        text_add(page, "&lt;");
        break;
      case '>':
        text_add(page, "&gt;");
        break;
      case '"':
        text_add(page, "&quot;");
        break;
      default:
        // Control characters have no meaning in a page.
        if ((unsigned char)*text >= ' ') text_add_bytes(page, text, 1);
    }
  }
}

// ---- Plots ----

// A target's records, in the order of the log. Engines are at work side by side, so the time of
// each is what its own slices took.
struct series {
  const struct fuzz_summary *summary;
  const char *target;
  u32 records;
  u64 ms[FUZZ_ENGINE_AFL + 1];  // by engine
  u64 longest_ms;               // of those
};

static bool is_of(const struct series *series, const struct fuzz_record *record) {
  return !strcmp(record->target, series->target);
}

static struct series series_of(const struct fuzz_summary *summary, const char *target) {
  struct series series = {.summary = summary, .target = target};

  for (u32 i = 0; i < summary->log.count; i++) {
    const struct fuzz_record *record = &summary->log.record[i];
    u64 *ms = &series.ms[record->engine];

    if (!is_of(&series, record)) continue;
    series.records++;
    *ms += record->ms;
    if (*ms > series.longest_ms) series.longest_ms = *ms;
  }
  return series;
}

// The unit of a plot's time.
static const char *unit_of(u64 ms, double *out_ms) {
  static const struct {
    u64 from_ms;
    double ms;
    const char *name;
  } units[] = {{172800000, 86400000, "days"},
               {7200000, 3600000, "hours"},
               {120000, 60000, "minutes"},
               {0, 1000, "seconds"}};
  u32 i = 0;

  while (ms < units[i].from_ms) i++;
  *out_ms = units[i].ms;
  return units[i].name;
}

enum measure { MEASURE_FEATURES, MEASURE_RATE, MEASURE_FINDINGS };

// Writes one line of a panel as a block of gnuplot's, at most POINTS_MAX records and the last: for
// each where it begins and where it ends. Returns how many points.
static u32 write_points(FILE *out, const struct series *series, enum fuzz_engine engine,
                        enum measure measure, double unit_ms, u64 *io_most) {
  u32 every = series->records / POINTS_MAX + 1, seen = 0, points = 0;
  u64 ms = 0, findings = 0;

  fprintf(out, "$%s << EOD\n", fuzz_engine_name(engine));
  for (u32 i = 0; i < series->summary->log.count; i++) {
    const struct fuzz_record *record = &series->summary->log.record[i];
    u64 begin_ms = ms, before = findings, value;

    if (!is_of(series, record) || record->engine != engine) continue;
    ms += record->ms;
    findings += record->findings;
    if (measure != MEASURE_FINDINGS && !record->executions) continue;
    value = measure == MEASURE_FINDINGS   ? findings
            : measure == MEASURE_FEATURES ? record->features
                                          : record->rate;
    if (value > *io_most) *io_most = value;
    // Each step of the findings, and the end, is shown.
    if (seen++ % every && ms < series->ms[engine] && before == findings) continue;
    fprintf(out, "%.3f %" PRIu64 "\n%.3f %" PRIu64 "\n", (double)begin_ms / unit_ms,
            measure == MEASURE_FINDINGS ? before : value, (double)ms / unit_ms, value);
    points += 2;
  }
  fprintf(out, "EOD\n");
  return points;
}

// A step between ticks of 1, 2 or 5 times a power of ten, so that there are few.
static u64 tick_of(u64 most) {
  static const u64 steps[] = {1, 2, 5};

  for (u64 power = 1; power < UINT64_MAX / 100; power *= 10)
    for (u32 i = 0; i < SIM_ARRAY_SIZE(steps); i++)
      if (most <= steps[i] * power * TICKS) return steps[i] * power;
  return most;
}

static void write_label(FILE *out, u64 value) {
  if (value >= 10000000 && !(value % 1000000))
    fprintf(out, "'%" PRIu64 "M'", value / 1000000);
  else if (value >= 10000 && !(value % 1000))
    fprintf(out, "'%" PRIu64 "k'", value / 1000);
  else
    fprintf(out, "'%" PRIu64 "'", value);
}

static void write_axis(FILE *out, const char *title, u64 most) {
  u64 tick = tick_of(most ? most : 1), top = ((most ? most - 1 : 0) / tick + 1) * tick;

  fprintf(out, "set title '%s' offset 0,-0.7\nset yrange [0:%" PRIu64 ".01]\nset ytics (", title,
          top);
  for (u64 value = 0; value <= top; value += tick) {
    if (value) fprintf(out, ", ");
    write_label(out, value);
    fprintf(out, " %" PRIu64, value);
  }
  fprintf(out, ")\n");
}

static void write_panel(FILE *out, const struct series *series, enum measure measure,
                        const char *title, double unit_ms) {
  u64 most = 0;
  const char *between = "plot ";
  u32 points[FUZZ_ENGINE_AFL + 1] = {0};

  for (enum fuzz_engine engine = FUZZ_ENGINE_LIBFUZZER; engine <= FUZZ_ENGINE_AFL; engine++)
    points[engine] = write_points(out, series, engine, measure, unit_ms, &most);
  write_axis(out, title, most);
  for (enum fuzz_engine engine = FUZZ_ENGINE_LIBFUZZER; engine <= FUZZ_ENGINE_AFL; engine++) {
    if (!points[engine]) continue;
    fprintf(out, "%s$%s with %s lw 2 lc rgb '%s'", between, fuzz_engine_name(engine),
            measure == MEASURE_FINDINGS ? "steps" : "lines", colour[engine]);
    between = ", ";
  }
  fprintf(out, "%s\n", *between == 'p' ? "plot NaN" : "");
}

void fuzz_page_plot(FILE *out, const struct fuzz_summary *summary, const char *target,
                    const char *svg) {
  const struct series series = series_of(summary, target);
  double unit_ms;
  const char *unit = unit_of(series.longest_ms, &unit_ms);

  fprintf(out,
          "set output '%s'\n"
          "set multiplot layout 3,1 margins 0.16,0.96,0.12,0.94 spacing 0,0.1\n"
          "set xrange [0:%.3f]\nset format x ''\nunset xlabel\n",
          svg, series.longest_ms ? (double)series.longest_ms / unit_ms : 1);
  write_panel(out, &series, MEASURE_FEATURES, "features, edges", unit_ms);
  write_panel(out, &series, MEASURE_RATE, "executions a second", unit_ms);
  fprintf(out, "set format x '%%g'\nset xlabel '%s' offset 0,0.5\n", unit);
  write_panel(out, &series, MEASURE_FINDINGS, "findings", unit_ms);
  fprintf(out, "unset multiplot\n");
}

// The SVG of row `index`, in the folder of the work.
static char *svg_path(const char *folder, u32 index) {
  return xasprintf("%s/%u.svg", folder, index);
}

static bool is_first_of_target(const struct fuzz_summary *summary, u32 row) {
  return !row || strcmp(summary->row[row].target, summary->row[row - 1].target) != 0;
}

static bool write_script(const struct fuzz_summary *summary, const char *folder,
                         const char *script) {
  FILE *out = fopen(script, "we");
  bool good;

  if (!out) return false;
  fprintf(out,
          "set terminal svg size 360,330 dynamic font 'sans-serif,11'\n"
          "set border 3 lc rgb '#000000'\nset tics nomirror scale 0.5\nunset key\n"
          "set xtics autofreq\nset grid ytics lc rgb '#808080' dt 3\n\n");
  for (u32 i = 0; i < summary->num_rows; i++) {
    char *svg;

    if (!is_first_of_target(summary, i)) continue;
    svg = svg_path(folder, i);
    fuzz_page_plot(out, summary, summary->row[i].target, svg);
    free(svg);
  }
  good = !ferror(out);
  return !fclose(out) && good;
}

// Has gnuplot make the plots. Returns a status, after a complaint.
static int plot(const struct fuzz_summary *summary, const char *folder) {
  char *script = xasprintf("%s/script", folder), *output = xasprintf("%s/output", folder);
  const char *const argv[] = {"gnuplot", script, NULL}, *const env[] = {"!LC_ALL=C", NULL};
  const struct fuzz_program program = {argv, env, output, GNUPLOT_MS};
  int status = SIM_OK, ended;
  struct text said = {0};

  if (!write_script(summary, folder, script)) {
    complain("cannot write %s", script);
    status = SIM_OURS;
  } else {
    ended = fuzz_minder_run(&program);
    if (ended == FUZZ_MINDER_FAILED) {
      complain("--html needs gnuplot: apt-get install gnuplot-nox");
      status = SIM_MISSING_PACKAGE;
    } else if (ended) {
      if (!read_file(output, SVG_LEN_MAX, &said)) said.len = 0;
      complain("gnuplot ended with status %d: %.300s", ended, text_str(&said));
      status = SIM_OURS;
    }
  }
  text_free(&said);
  free(output);
  free(script);
  return status;
}

// ---- SVG ----

static bool at(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

// Behind the first `end` from `text` on; the end of the text without one.
static const char *behind(const char *text, const char *end) {
  const char *found = strstr(text, end);

  return found ? found + strlen(end) : text + strlen(text);
}

// Behind a group that has nothing in it but blanks; NULL if this is none.
static const char *behind_empty_group(const char *text) {
  const char *inner;

  if (!at(text, "<g ")) return NULL;
  inner = behind(text, ">");
  inner += strspn(inner, " \t\n");
  return at(inner, "</g>") ? inner + 4 : NULL;
}

void fuzz_page_add_svg(struct text *page, const char *svg) {
  const char *text = strstr(svg, "<svg");

  for (; text && *text;) {
    const char *next = behind_empty_group(text);

    if (next) {
      text = next;
    } else if (at(text, "<defs>")) {
      text = behind(text, "</defs>");
    } else if (at(text, "<title>")) {
      text = behind(text, "</title>");
    } else if (at(text, "<desc>")) {
      text = behind(text, "</desc>");
    } else if (at(text, " id=\"")) {
      text = behind(text + strlen(" id=\""), "\"");
    } else {
      text_add_bytes(page, text++, 1);
    }
  }
}

// ---- The page ----

static const char style[] =
    ":root{color-scheme:light dark;--line:#8886;--soft:#8882}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.2em auto;max-width:1240px;padding:0 1em}"
    "h1{font-size:1.4em;margin:.2em 0}h2{font-size:1.1em;margin:1.6em 0 .4em}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%}"
    "th,td{padding:.2em .6em;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--line)}th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}"
    "code{font-size:.85em;overflow-wrap:anywhere}"
    ".finding{border-left:4px solid #d9534f;background:var(--soft);padding:.4em .8em;margin:.6em 0}"
    ".finding.loose{border-color:#8888}.finding,figcaption{overflow-wrap:anywhere}"
    ".planted{border:3px solid #e0a800;background:#e0a80033;padding:.6em .8em;font-size:1.1em}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));"
    "gap:1em}figure{margin:0;border:1px solid var(--line);border-radius:6px;padding:.4em}"
    "figcaption{font-weight:600;padding:.2em .4em}svg{width:100%;height:auto;display:block}"
    "svg *{color:inherit}svg text{fill:currentColor}svg path[stroke='rgb(  0,   0,   "
    "0)']{stroke:currentColor}"
    ".key i{display:inline-block;width:1.2em;height:3px;vertical-align:middle;margin:0 .3em 0 "
    "1em}.key i:first-child{margin-left:0}";

static void add_found(const struct fuzz_summary *summary, struct text *page) {
  text_addf(page, "<h2>%u finding%s</h2>\n", summary->num_found,
            summary->num_found == 1 ? "" : "s");
  if (!summary->num_found) text_add(page, "<p>No input has failed.</p>\n");
  for (u32 i = 0; i < summary->num_found; i++) {
    const struct fuzz_found *found = &summary->found[i];

    text_addf(page, "<div class=\"finding%s\"><b>", found->reproduced ? "" : " loose");
    fuzz_page_add_text(page, found->key);
    text_addf(page, "</b>%s, %" PRIu64 " input%s<div>",
              found->reproduced ? "" : " (not reproduced)", found->count,
              found->count == 1 ? "" : "s");
    if (found->bug) {
      text_add(page, "<b>Of the planted bug ");
      fuzz_page_add_text(page, found->bug);
      text_add(page, "</b><br>");
    }
    fuzz_page_add_text(page, found->cause);
    text_add(page, "</div><code>");
    fuzz_page_add_text(page, *found->replay ? found->replay : found->folder);
    text_add(page, "</code></div>\n");
  }
}

// A time since 1970, for people anywhere; "" where there is none.
static const char *stamp_of(u64 ms, char out[STAMP_LEN]) {
  time_t seconds = (time_t)(ms / 1000);
  struct tm tm;

  if (!gmtime_r(&seconds, &tm) || !strftime(out, STAMP_LEN, "%Y-%m-%d %H:%M UTC", &tm))
    out[0] = '\0';
  return out;
}

static void add_rows(const struct fuzz_summary *summary, struct text *page) {
  text_add(page,
           "<h2>Targets</h2>\n<div class=\"wide\"><table><tr><th>target<th>engine<th>time"
           "<th>executions<th>exec/s<th>features<th>corpus<th>failures<th>last new</tr>\n");
  for (u32 i = 0; i < summary->num_rows; i++) {
    const struct fuzz_row *row = &summary->row[i];
    char time[TEXT_COUNT_LEN], executions[TEXT_COUNT_LEN], rate[TEXT_COUNT_LEN];
    char stamp[STAMP_LEN];

    text_add(page, "<tr><td>");
    fuzz_page_add_text(page, row->target);
    text_addf(
        page, "<td>%s<td>%s<td>%s<td>%s<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%s</tr>\n",
        fuzz_engine_name(row->engine), text_duration(row->ms, time),
        text_count(row->executions, executions), text_count(row->rate, rate), row->features,
        row->corpus, row->failures, row->last_new_ms ? stamp_of(row->last_new_ms, stamp) : "never");
  }
  text_add(page, "</table></div>\n");
}

static void add_plots(const struct fuzz_summary *summary, const char *folder, struct text *page) {
  text_addf(page,
            "<h2>Over the time that each engine had</h2>\n<p class=\"key\"><i "
            "style=\"background:%s\"></i>libFuzzer: features<i style=\"background:%s\"></i>AFL++: "
            "edges</p>\n<div class=\"plots\">\n",
            colour[FUZZ_ENGINE_LIBFUZZER], colour[FUZZ_ENGINE_AFL]);
  for (u32 i = 0; i < summary->num_rows; i++) {
    struct text svg = {0};
    char *path;

    if (!is_first_of_target(summary, i)) continue;
    path = svg_path(folder, i);
    text_add(page, "<figure><figcaption>");
    fuzz_page_add_text(page, summary->row[i].target);
    text_add(page, "</figcaption>");
    if (read_file(path, SVG_LEN_MAX, &svg)) fuzz_page_add_svg(page, text_str(&svg));
    text_add(page, "</figure>\n");
    text_free(&svg);
    free(path);
  }
  text_add(page, "</div>\n");
}

static void add_opening(const struct fuzz_summary *summary, u64 now_ms, struct text *page) {
  char executions[TEXT_COUNT_LEN], time[TEXT_COUNT_LEN], stamp[STAMP_LEN];
  u64 total = 0, ms = 0;

  for (u32 i = 0; i < summary->num_rows; i++) {
    total += summary->row[i].executions;
    ms += summary->row[i].ms;
  }
  text_addf(page,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>seedbed: "
            "fuzzing</title>\n<style>%s</style></head><body>\n<h1>seedbed: fuzzing</h1>\n<p>%s: %s "
            "executions in %s of engines' time, %u slices.</p>\n",
            style, stamp_of(now_ms, stamp), text_count(total, executions), text_duration(ms, time),
            summary->log.count);
  if (!summary->bugs.len) return;
  text_add(page, "<p class=\"planted\"><b>Planted bug: ");
  fuzz_page_add_text(page, text_str(&summary->bugs));
  text_add(page, ".</b> What is found here says nothing of the subject.</p>\n");
}

int fuzz_page_write(const struct fuzz_summary *summary, const char *path) {
  const char *temp = getenv("TMPDIR");
  char *folder = xasprintf("%s/seedbed-fuzz-XXXXXX", temp && *temp ? temp : "/tmp"), err[1024];
  u64 now_ms = fuzz_now_ms();
  struct text page = {0};
  int status;

  if (!mkdtemp(folder)) {
    complain("cannot make a folder for plots: %s", folder);
    free(folder);
    return SIM_OURS;
  }
  status = plot(summary, folder);
  if (!status) {
    add_opening(summary, now_ms, &page);
    add_found(summary, &page);
    add_rows(summary, &page);
    add_plots(summary, folder, &page);
    text_add(&page, "</body></html>\n");
    if (!write_file(path, page.s, page.len, err, sizeof(err))) {
      complain("%s", err);
      status = SIM_OURS;
    }
  }
  fuzz_folder_remove(folder);
  text_free(&page);
  free(folder);
  return status;
}
