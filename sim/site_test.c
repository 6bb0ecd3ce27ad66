// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: labels, hashes, numbers and streams.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include <string.h>

#include "sim/site.h"

static struct sim_site *first_of_two(void) { return SIM_SITE("twice"); }
static struct sim_site *two_in_one(u32 which) {
  if (which == 0) return SIM_SITE("same");
  if (which == 1) return SIM_SITE("same");
  return SIM_SITE("other");
}
static struct sim_site *draws(u32 which) {
  if (which == 0) return SIM_SITE_DRAW("site-test-fault", SIM_SITE_FAULT, 1, 7);
  if (which == 1) return SIM_SITE_DRAW("site-test-time", SIM_SITE_TIME, 0, 0);
  return SIM_SITE_DRAW("site-test-fault", SIM_SITE_FAULT, 1, 7);
}
static struct sim_site in_class SIM_SITE_SECTION = {
    .prim = "site-test-in-class", .cls = "site-test-class", .kind = SIM_SITE_WORK};
static struct sim_site in_class_too SIM_SITE_SECTION = {
    .prim = "site-test-in-class-too", .cls = "site-test-class", .kind = SIM_SITE_FAULT};
static struct sim_site no_class SIM_SITE_SECTION = {.prim = "site-test-no-class",
                                                    .kind = SIM_SITE_TIME};

static const char *label(const struct sim_site *site) {
  static char text[SIM_SITE_LABEL_LEN];
  return sim_site_label(site, text, sizeof(text));
}

// "func:prim", or the draw's label alone; cut where there is no room, and always ended.
static void labels(void **state) {
  char text[12];
  (void)state;
  sim_sites_init();
  assert_string_equal(label(first_of_two()), "first_of_two:twice");
  assert_string_equal(label(two_in_one(2)), "two_in_one:other");
  assert_string_equal(label(draws(0)), "site-test-fault");
  memset(text, 'x', sizeof(text));
  assert_ptr_equal(sim_site_label(first_of_two(), text, 10), text);
  assert_string_equal(text, "first_of_");
  assert_int_equal(text[10], 'x');
  sim_site_label(draws(0), text, 1);
  assert_int_equal(text[0], 0);
}

// A hash is of the label alone, so that code around it may change. Sites of one label are
// counted as the first of them.
static void hashes_and_canonical_sites(void **state) {
  (void)state;
  sim_sites_init();
  assert_true(first_of_two()->hash == sim_hash_str("first_of_two:twice"));
  assert_true(draws(0)->hash == sim_hash_str("site-test-fault"));
  assert_ptr_not_equal(two_in_one(0), two_in_one(1));
  assert_int_equal(two_in_one(0)->canon, two_in_one(1)->canon);
  assert_int_not_equal(two_in_one(0)->canon, two_in_one(2)->canon);
  assert_int_equal(draws(0)->canon, draws(2)->canon);
  for (u32 i = 0; i < sim_sites_count(); i++) {
    struct sim_site *site = sim_site_at(i);
    assert_int_equal(sim_site_index(site), i);
    assert_true(site->hash == sim_hash_str(label(site)));
    struct sim_site *canon = sim_site_at(site->canon);
    assert_true(site->canon <= i && canon->canon == site->canon && canon->hash == site->hash);
    assert_ptr_equal(sim_site_by_label(label(site)), canon);
    for (u32 j = 0; j < site->canon; j++) assert_true(sim_site_at(j)->hash != site->hash);
  }
  assert_null(sim_site_by_label("nobody:nothing"));
  assert_null(sim_site_by_label(""));
  // The ten above, and those of what is linked of sim.
  assert_true(sim_sites_count() >= 10 && sim_sites_count() < 4096);
}

// A stream for each class: a draw's label, unless it names a class; points share the one of
// their kind.
static void streams(void **state) {
  (void)state;
  sim_sites_init();
  assert_string_equal(sim_stream_label(first_of_two()->stream), "point");
  assert_string_equal(sim_stream_label(draws(0)->stream), "site-test-fault");
  assert_string_equal(sim_stream_label(draws(1)->stream), "site-test-time");
  assert_string_equal(sim_stream_label(in_class.stream), "site-test-class");
  assert_int_equal(in_class.stream, in_class_too.stream);
  assert_string_equal(sim_stream_label(no_class.stream), "time");
  assert_int_equal(draws(0)->stream, draws(2)->stream);
  assert_true(sim_streams_count() <= SIM_STREAMS_MAX);
  for (u32 i = 0; i < sim_sites_count(); i++)
    assert_true(sim_site_at(i)->stream < sim_streams_count());
  for (u32 i = 0; i < sim_streams_count(); i++)
    for (u32 j = 0; j < i; j++) assert_true(strcmp(sim_stream_label(i), sim_stream_label(j)) != 0);
}

// What the macros put into a site; a second init changes nothing.
static void fields(void **state) {
  struct sim_site before[3];
  (void)state;
  sim_sites_init();
  assert_int_equal(draws(0)->kind, SIM_SITE_FAULT);
  assert_int_equal(draws(0)->rate_num, 1);
  assert_int_equal(draws(0)->rate_den, 7);
  assert_int_equal(draws(1)->rate_den, 0);
  assert_int_equal(first_of_two()->kind, SIM_SITE_POINT);
  before[0] = *first_of_two();
  before[1] = *draws(1);
  before[2] = in_class;
  u32 count = sim_sites_count(), num_streams = sim_streams_count();
  sim_sites_init();
  assert_memory_equal(&before[0], first_of_two(), sizeof(before[0]));
  assert_memory_equal(&before[1], draws(1), sizeof(before[0]));
  assert_memory_equal(&before[2], &in_class, sizeof(before[0]));
  assert_int_equal(count, sim_sites_count());
  assert_int_equal(num_streams, sim_streams_count());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels),
      cmocka_unit_test(hashes_and_canonical_sites),
      cmocka_unit_test(streams),
      cmocka_unit_test(fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
