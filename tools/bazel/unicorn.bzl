# SPDX-License-Identifier: GPL-2.0-or-later

"""Unicorn, where tools/setup puts it."""

# Links that may lead nowhere: new_local_repository would end a build of anything while
# .build/unicorn is not there.
def _unicorn_repository_impl(ctx):
    build_file = ctx.path(ctx.attr.build_file)  # in tools/bazel
    folder = str(build_file.dirname.dirname.dirname) + "/.build/unicorn/"
    ctx.symlink(folder + "include", "include")
    ctx.symlink(folder + "lib", "lib")
    ctx.symlink(build_file, "BUILD.bazel")

unicorn_repository = repository_rule(
    implementation = _unicorn_repository_impl,
    attrs = {"build_file": attr.label(mandatory = True)},
    local = True,
)
