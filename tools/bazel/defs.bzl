# SPDX-License-Identifier: GPL-2.0-or-later
"""The C rules of seedbed: the native ones with one list of compiler options.

Every C target of the project is made by one of these three macros. They add nothing but
options, so what the native rule documents holds for them too. Includes are rooted at the
top of the tree: `#include "sim/choice.h"`.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

# Holds for gcc 12 to 14 and clang 14 to 19. GNU C is meant (statement expressions,
# typeof), so -Wpedantic is not here. Callbacks often ignore an argument, tables often
# leave a member zero. Assertions stay on in every build: -UNDEBUG.
SEEDBED_COPTS = [
    "-std=gnu17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wformat=2",
    "-Wimplicit-fallthrough",
    "-Wmissing-prototypes",
    "-Wold-style-definition",
    "-Wpointer-arith",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Wundef",
    "-Wvla",
    "-Wwrite-strings",
    "-Wno-missing-field-initializers",
    "-Wno-unused-parameter",
    "-UNDEBUG",
]

def seedbed_library(name, copts = [], **kwargs):
    """A C library.

    Args:
      name: makes the target `name`.
      copts: options after the common ones.
      **kwargs: as for cc_library.
    """
    cc_library(
        name = name,
        copts = SEEDBED_COPTS + copts,
        linkstatic = True,
        **kwargs
    )

def seedbed_binary(name, copts = [], **kwargs):
    """A C program; project libraries are linked statically.

    Args:
      name: makes the target `name`.
      copts: options after the common ones.
      **kwargs: as for cc_binary.
    """
    cc_binary(
        name = name,
        copts = SEEDBED_COPTS + copts,
        **kwargs
    )

def seedbed_test(name, copts = [], linkopts = [], size = "small", **kwargs):
    """A C test; it may use cmocka, or just return 0 from main.

    Args:
      name: makes the target `name`, by custom the unit's name and `_test`.
      copts: options after the common ones.
      linkopts: options before -lcmocka.
      size: a test takes a few seconds at most: `small`.
      **kwargs: as for cc_test.
    """
    cc_test(
        name = name,
        size = size,
        copts = SEEDBED_COPTS + copts,
        linkopts = linkopts + ["-lcmocka"],
        linkstatic = True,
        **kwargs
    )
