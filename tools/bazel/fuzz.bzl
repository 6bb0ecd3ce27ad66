# SPDX-License-Identifier: GPL-2.0-or-later
"""Fuzz targets, shaped like those of rules_fuzzing, which cannot be fetched."""

load("//tools/bazel:defs.bzl", "seedbed_binary", "seedbed_library", "seedbed_test")

# AFL++'s driver and its runtime, where Debian's package has them.
_AFLPP = [
    "/usr/lib/afl/libAFLDriver.a",
    "/usr/lib/afl/afl-compiler-rt.o",
]

def seedbed_fuzz_test(name, scenario, corpus = None, tags = []):
    """A scenario as a fuzz target.

    Makes
      NAME          a test that runs the corpus, each input twice: part of bazel test //...
      NAME_bin      the target; with --config=libfuzzer an engine is linked, else what NAME runs
      NAME_run      runs NAME_bin, built by --config=libfuzzer, on the corpus: bazel run
      NAME_corpus   the corpus, files

    Args:
      name: by custom the scenario's, with _ for -, and _fuzz.
      scenario: its name in models/seedbed_scenarios.c.
      corpus: a label of the inputs; None: there is none yet.
      tags: of the test.
    """
    native.genrule(
        name = name + "_name",
        outs = [name + "_name.c"],
        cmd = """
            {
                echo '// Generated'
                echo '#include "fuzz/target.h"'
                echo 'const char fuzz_scenario_name[] = "%s";'
            } >$@
        """ % scenario,
    )
    seedbed_library(
        name = name + "_lib",
        srcs = [name + "_name.c"],
        alwayslink = True,
        deps = ["//fuzz"],
    )
    native.filegroup(
        name = name + "_corpus",
        srcs = [corpus] if corpus else [],
        visibility = ["//:fuzz_users"],
    )
    seedbed_test(
        name = name,
        size = "medium",
        srcs = ["replay_main.c"],
        args = ["$(rootpaths :%s_corpus)" % name] if corpus else [],
        copts = ["-D_GNU_SOURCE"],
        data = [":%s_corpus" % name],
        tags = tags + ["fuzz-test"],
        deps = [":%s_lib" % name],
    )
    seedbed_binary(
        name = name + "_bin",
        srcs = select({
            "//:aflpp": [],
            "//:libfuzzer": [],
            "//:oss_fuzz": [],
            "//conditions:default": ["replay_main.c"],
        }),
        copts = ["-D_GNU_SOURCE"],
        linkopts = select({
            "//:aflpp": _AFLPP,
            "//:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = ["manual"],
        visibility = ["//:fuzz_users"],
        deps = [":%s_lib" % name],
    )
