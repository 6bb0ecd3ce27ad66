// SPDX-License-Identifier: GPL-2.0-only
//
// Host memory: what guests see as pages, and what engines are made of. It lies outside the
// world's arena, since it outlives worlds and is too much to be copied back by their reset.
#include <sys/mman.h>

#include "models/guest/guest_impl.h"

void *guest_host_alloc(size_t len) {
  void *host = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SIM_ASSERT(host != MAP_FAILED);
  return host;
}

void guest_host_free(void *host, size_t len) {
  if (host) SIM_ASSERT(munmap(host, len) == 0);
}

void *guest_pages(struct guest *g, size_t len) {
  SIM_ASSERT(len && len % GUEST_PAGE == 0 && g->num_blocks < GUEST_BLOCKS_MAX);
  u8 *host = guest_host_alloc(len);
  g->block[g->num_blocks].host = host;
  g->block[g->num_blocks].len = len;
  g->num_blocks++;
  return host;
}
