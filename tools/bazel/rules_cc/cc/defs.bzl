# SPDX-License-Identifier: GPL-2.0-or-later
"""A stand-in for rules_cc: the native C rules under the names rules_cc gives them.

Debian packages a rules_cc that is newer than its Bazel (4.2.3) can load. Bazel's own
repositories and Debian's rule sets load these names and nothing else.
"""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library

# Loaded by name in places that we do not build.
cc_flags_supplier = None
compiler_flag = None
