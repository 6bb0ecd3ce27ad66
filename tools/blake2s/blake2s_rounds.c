// SPDX-License-Identifier: GPL-2.0-or-later
//
// BLAKE2s's compression (RFC 7693). One source, built once for each instruction set:
//
//   BLAKE2S_VARIANT   the function's name; its code lies in a section of that name after code_
//   BLAKE2S_SCALAR    word by word; else in the compiler's vector extensions, four rows of four
//                     words
#include <string.h>

#include "tools/blake2s/blake2s_variants.h"

static const u32 iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The words of each round: RFC 7693, 2.7.
static const u8 sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

// G: of one column, or of four at once. What is late is added last.
#define MIX(a, b, c, d, x, y) \
  do {                        \
    a += (x);                 \
    a += b;                   \
    d = ROTATE_16(d ^ a);     \
    c += d;                   \
    b ^= c;                   \
    b = ROTATE(b, 12);        \
    a += (y);                 \
    a += b;                   \
    d = ROTATE_8(d ^ a);      \
    c += d;                   \
    b ^= c;                   \
    b = ROTATE(b, 7);         \
  } while (0)

#ifdef BLAKE2S_SCALAR

#define ROTATE_16(x) ROTATE(x, 16)
#define ROTATE_8(x) ROTATE(x, 8)
#define COLUMN(r, i, a, b, c, d) \
  MIX(v[a], v[b], v[c], v[d], m[sigma[r][2 * (i)]], m[sigma[r][2 * (i) + 1]])
#define ROUND(r)                \
  do {                          \
    COLUMN(r, 0, 0, 4, 8, 12);  \
    COLUMN(r, 1, 1, 5, 9, 13);  \
    COLUMN(r, 2, 2, 6, 10, 14); \
    COLUMN(r, 3, 3, 7, 11, 15); \
    COLUMN(r, 4, 0, 5, 10, 15); \
    COLUMN(r, 5, 1, 6, 11, 12); \
    COLUMN(r, 6, 2, 7, 8, 13);  \
    COLUMN(r, 7, 3, 4, 9, 14);  \
  } while (0)

#else

typedef u32 row __attribute__((vector_size(16)));
typedef u8 row_bytes __attribute__((vector_size(16)));

// Where words cannot be rotated, a rotation by whole bytes is a permutation.
#ifdef __AVX512VL__
#define ROTATE_16(x) ROTATE(x, 16)
#define ROTATE_8(x) ROTATE(x, 8)
#else
#define PERMUTE(x, ...) ((row)__builtin_shufflevector((row_bytes)(x), (row_bytes)(x), __VA_ARGS__))
#define ROTATE_16(x) PERMUTE(x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
#define ROTATE_8(x) PERMUTE(x, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)
#endif

#define TURN(x, ...) x = __builtin_shufflevector(x, x, __VA_ARGS__)
#define WORDS(r, i, j, k, l) ((row){m[sigma[r][i]], m[sigma[r][j]], m[sigma[r][k]], m[sigma[r][l]]})

// Columns, then diagonals: rows are turned so that these are columns, and back.
#define ROUND(r)                                                                   \
  do {                                                                             \
    MIX(v[0], v[1], v[2], v[3], WORDS(r, 0, 2, 4, 6), WORDS(r, 1, 3, 5, 7));       \
    TURN(v[1], 1, 2, 3, 0);                                                        \
    TURN(v[2], 2, 3, 0, 1);                                                        \
    TURN(v[3], 3, 0, 1, 2);                                                        \
    MIX(v[0], v[1], v[2], v[3], WORDS(r, 8, 10, 12, 14), WORDS(r, 9, 11, 13, 15)); \
    TURN(v[1], 3, 0, 1, 2);                                                        \
    TURN(v[2], 2, 3, 0, 1);                                                        \
    TURN(v[3], 1, 2, 3, 0);                                                        \
  } while (0)

#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

__attribute__((section("code_" TEXT(BLAKE2S_VARIANT)), noinline)) void BLAKE2S_VARIANT(
    u32 state[8], const u8 *blocks, size_t num, u64 counter, u32 inc, bool final) {
#ifdef BLAKE2S_SCALAR
  u32 h[8], v[16];
#else
  row h[2], v[4];
#endif
  const u32 half = sizeof(h) / sizeof(h[0]);

  memcpy(h, state, sizeof(h));
  for (; num; num--, blocks += BLAKE2S_BLOCK_LEN) {
    u32 m[16], low[8];

    // Little endian, as all machines are that this is built for.
    memcpy(m, blocks, sizeof(m));
    counter += inc;
    memcpy(low, iv, sizeof(low));
    low[4] ^= (u32)counter;
    low[5] ^= (u32)(counter >> 32);
    if (final) low[6] = ~low[6];
    memcpy(v, h, sizeof(h));
    memcpy(v + half, low, sizeof(low));
    ROUND(0);
    ROUND(1);
    ROUND(2);
    ROUND(3);
    ROUND(4);
    ROUND(5);
    ROUND(6);
    ROUND(7);
    ROUND(8);
    ROUND(9);
    for (u32 i = 0; i < half; i++) h[i] ^= v[i] ^ v[i + half];
  }
  memcpy(state, h, sizeof(h));
}
