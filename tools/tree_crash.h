// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the code of a kernel tree crashes: a failure of the run, by the oracle kernel-crash, whose
// key is of the function of the tree in which it did. What crashes elsewhere ends the process, as
// ever (jobs.h).
#ifndef SEEDBED_TOOLS_TREE_CRASH_H_
#define SEEDBED_TOOLS_TREE_CRASH_H_

// From now on signals of faults are looked at, if they come from the object that is the subject
// (kernel_subject): in its code, or in memcpy and other functions called from there. Once is
// enough, and forked processes have it. Under AddressSanitizer, which looks itself, nothing is
// done.
void tree_crash_catch(void);

#endif  // SEEDBED_TOOLS_TREE_CRASH_H_
