# SPDX-License-Identifier: GPL-2.0-or-later
"""Fuzz targets, shaped like those of rules_fuzzing, which cannot be fetched."""

load("//tools/bazel:defs.bzl", "seedbed_binary", "seedbed_library", "seedbed_test")

# AFL++'s driver and its runtime, where Debian's package has them.
AFLPP_LINKOPTS = [
    "/usr/lib/afl/libAFLDriver.a",
    "/usr/lib/afl/afl-compiler-rt.o",
]

def seedbed_fuzz_test(name, scenario, corpus = None, dictionary = None, tags = []):
    """A scenario as a fuzz target.

    Makes
      NAME           a test that runs the corpus, each input twice: part of bazel test //...
      NAME_bin       the target; with --config=libfuzzer or aflpp an engine is linked, else what
                     NAME runs
      NAME_run       runs NAME_bin with the engine that it was built for: bazel run, fuzz/run.sh
      NAME_corpus    the corpus, files
      NAME_oss_fuzz  NAME_oss_fuzz.tar: target, seed corpus and options as OSS-Fuzz wants them

    Args:
      name: by custom the scenario's, with _ for -, and _fuzz.
      scenario: its name in models/seedbed_scenarios.c.
      corpus: a label of the inputs; None: the calm run alone.
      dictionary: a label of a dictionary in libFuzzer's format; None: there is none.
      tags: of the test and of NAME_oss_fuzz; "no-oss-fuzz" keeps it out of fuzz/oss-fuzz/build.sh.
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
        args = ["$(rootpaths :%s_corpus)" % name if corpus else "/dev/null"],
        copts = ["-D_GNU_SOURCE"],
        data = [":%s_corpus" % name],
        tags = tags + ["fuzz-test"],
        deps = [
            ":%s_lib" % name,
            "//fuzz",
            "//fuzz:history",
        ],
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
            "//:aflpp": AFLPP_LINKOPTS,
            "//:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = ["manual"],
        visibility = ["//:fuzz_users"],
        deps = [
            ":%s_lib" % name,
            "//fuzz",
            "//fuzz:history",
        ],
    )
    files = [":%s_bin" % name] + ([dictionary] if dictionary else [])
    native.sh_binary(
        name = name + "_run",
        srcs = ["run.sh"],
        args = [
            "--target=" + name,
            "--binary=$(rootpath :%s_bin)" % name,
        ] + (
            ["--dictionary=$(rootpath %s)" % dictionary] if dictionary else []
        ) + (
            ["$(rootpaths :%s_corpus)" % name] if corpus else []
        ) + select({
            "//:aflpp": [
                "--engine=afl",
                "--mutator=$(rootpath //fuzz:mutator_afl.so)",
            ],
            "//:libfuzzer": ["--engine=libfuzzer"],
            "//conditions:default": [],
        }) + ["--user"],
        data = files + [":%s_corpus" % name] + select({
            "//:aflpp": ["//fuzz:mutator_afl.so"],
            "//conditions:default": [],
        }),
        tags = ["manual"],
    )
    native.genrule(
        name = name + "_oss_fuzz",
        srcs = files + [":%s_corpus" % name],
        outs = [name + "_oss_fuzz.tar"],
        cmd = "$(location //fuzz:oss-fuzz/pack.sh) $@ %s $(location :%s_bin) %s %s" % (
            name,
            name,
            "$(location %s)" % dictionary if dictionary else "-",
            "$(locations :%s_corpus)" % name if corpus else "",
        ),
        tags = tags + ["manual", "oss-fuzz"],
        tools = ["//fuzz:oss-fuzz/pack.sh"],
    )
