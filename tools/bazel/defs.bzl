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

# What is under test counts its edges for a fuzzing engine; the simulator, the oracles' tools and
# twins do not.
_COUNTED = select({
    "//:aflpp": ["-fsanitize-coverage=trace-pc-guard"],
    "//:libfuzzer": ["-fsanitize-coverage=inline-8bit-counters,pc-table"],
    "//:oss_fuzz": ["-fsanitize=fuzzer-no-link"],
    "//conditions:default": [],
})

def seedbed_library(name, copts = [], **kwargs):
    """A C library.

    Args:
      name: makes the target `name`.
      copts: options after the common ones.
      **kwargs: as for cc_library.
    """
    cc_library(
        name = name,
        copts = SEEDBED_COPTS + copts +
                (_COUNTED if native.package_name().startswith("models/") else []),
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

# What makes each access of a file a call of a hook (sim/hook.h). A call must return behind
# itself, and memcpy stay a call. Clang leaves out reads before a write to the same place,
# unless it is told not to.
_HOOKS = [
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-function-sections",
    "-fno-optimize-sibling-calls",
    "-U_FORTIFY_SOURCE",
    "-DSIM_TWIN=1",
] + select({
    "//:hooks_asan": ["-fsanitize-coverage=edge,trace-loads,trace-stores"],
    "//:hooks_clang": [
        "-fsanitize=thread",
        "-mllvm",
        "-tsan-distinguish-volatile=1",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
    ],
    "//conditions:default": [
        "-fsanitize=thread",
        "--param=tsan-distinguish-volatile=1",
    ],
})

def seedbed_twin(name, hooked, rest = [], hdrs = [], deps = [], twins = [], **kwargs):
    """A twin of a library for runs with access hooks: see sim/hook.h.

    All that it defines has the prefix `hooked_` to its name, so that both may be linked.

    Args:
      name: makes the target `name`, a library.
      hooked: the files whose accesses are hooked.
      rest: the other files of the library that its scenarios need.
      hdrs: its headers.
      deps: libraries whose headers it includes, //sim among them.
      twins: twins that it uses in place of what they are twins of.
      **kwargs: as for cc_library.
    """
    parts = {"hooked": (hooked, _HOOKS), "rest": (rest, ["-DSIM_TWIN=1"])}
    for part, (srcs, copts) in parts.items():
        if srcs:
            cc_library(
                name = name + "_" + part,
                srcs = srcs + hdrs,
                copts = SEEDBED_COPTS + copts,
                linkstatic = True,
                deps = deps,
            )
    archives = " ".join([
        "$$(echo $(locations :%s_%s) | cut -d ' ' -f 1)" % (name, part) if parts[part][0] else "-"
        for part in ("hooked", "rest")
    ])
    native.genrule(
        name = name + "_make",
        srcs = [":%s_%s" % (name, part) for part in parts if parts[part][0]] +
               [twin + ".names" for twin in twins],
        outs = [name + ".a", name + "_sites.c", name + ".names"],
        cmd = "$(location //sim:hook_twin.sh) %s %s $(OUTS) %s" % (
            name,
            archives,
            " ".join(["$(location %s.names)" % twin for twin in twins]),
        ),
        tools = ["//sim:hook_twin.sh"],
        visibility = ["//:sim_users"],
    )
    cc_library(
        name = name,
        srcs = [name + ".a", name + "_sites.c"],
        alwayslink = True,
        linkstatic = True,
        deps = deps + twins,
        **kwargs
    )
