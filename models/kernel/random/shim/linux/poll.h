// SPDX-License-Identifier: GPL-2.0-or-later
//
// Polling: nobody polls here.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_POLL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_POLL_H_

#include <linux/wait.h>
#include <uapi/linux/poll.h>

#include <uapi/linux/eventpoll.h>

typedef struct poll_table_struct poll_table;
#define poll_wait(file, wq, table) ((void)(file), (void)(wq), (void)(table))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_POLL_H_
