/* The loop of the exit simulation in C, for the benchmark `analytics`: the same draws, buckets and sales as models/exit.ts, over tables
 * that the benchmark writes to a file. Prints the milliseconds of each run and the sums of the results, which must agree.
 * Usage: exit-kernel <tables> <paths> <runs>. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { double supplied, withdrawable, position, reserve, limit, goes_on_below; int32_t rows, horizon, seed_low, seed_high; } Head;

static uint32_t rotl(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

static void philox(uint32_t *c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xd2511f53u * c[0], p1 = (uint64_t)0xcd9e8d57u * c[2];
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c[1] ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
    c[1] = (uint32_t)p1, c[3] = (uint32_t)p0, c[0] = n0, c[2] = n2;
    k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
  }
}

static uint32_t next(uint32_t *s) {
  uint32_t result = rotl(s[1] * 5, 7) * 9, shifted = s[1] << 9;
  s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= shifted, s[3] = rotl(s[3], 11);
  return result;
}

static int bucket_of(double u) { return u < .9 ? (u < .8 ? 0 : 1) : u < .95 ? 2 : u < .99 ? 3 : 4; }

static void *read_block(FILE *file, size_t size) {
  void *block = malloc(size);
  if (fread(block, 1, size, file) != size) exit(2);
  return block;
}

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 2;
  int paths = atoi(argv[2]), runs = atoi(argv[3]);
  Head h;
  if (fread(&h, sizeof h, 1, file) != 1) return 2;
  double *steps = read_block(file, sizeof(double) * 2 * h.rows), *due = read_block(file, sizeof(double) * (h.horizon + 1));
  int32_t *counts = read_block(file, 4 * 5), *starts = read_block(file, 4 * 5);
  int32_t total = 0;
  for (int i = 0; i < 5; i++) total += counts[i];
  int32_t *rows = read_block(file, 4 * total);
  uint8_t *last = read_block(file, h.rows);
  double *results = malloc(sizeof(double) * 3 * paths);
  for (int run = 0; run < runs; run++) {
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int path = 0; path < paths; path++) {
      uint32_t s[4] = {path, 0, 0, 0};
      philox(s, h.seed_low, h.seed_high);
      if (!(s[0] | s[1] | s[2] | s[3])) s[0] = 1;
      double withdrawable = h.withdrawable, price = 1, taken = 0, proceeds = 0, slippage = 0;
      int row = 0, hour = 0;
      for (;; hour++) {
        double free = withdrawable - taken, amount = due[hour] - taken;
        if (amount > free) amount = free;
        if (amount > h.limit) amount = h.limit;
        if (amount > 0) {
          double value = amount * price, cost = amount / (h.reserve + amount);
          proceeds += value * (1 - cost), slippage += value * cost, taken += amount;
        }
        if (h.position - taken <= h.position * 1e-12 || hour == h.horizon) break;
        int goes_on = hour > 0 && next(s) < h.goes_on_below && !last[row];
        uint32_t fresh = next(s);
        if (goes_on) row++;
        else {
          int bucket = bucket_of(1 - withdrawable / h.supplied);
          row = rows[starts[bucket] + (int32_t)(fresh / 4294967296.0 * counts[bucket])];
        }
        withdrawable += steps[2 * row];
        withdrawable = withdrawable < 0 ? 0 : withdrawable > h.supplied ? h.supplied : withdrawable;
        price *= steps[2 * row + 1];
      }
      results[3 * path] = proceeds, results[3 * path + 1] = slippage;
      results[3 * path + 2] = h.position - taken <= h.position * 1e-12 ? 0 : (h.position - taken) * price;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double sums[3] = {0, 0, 0};
    for (int path = 0; path < paths; path++)
      for (int i = 0; i < 3; i++) sums[i] += results[3 * path + i];
    printf("%.6f %.17g %.17g %.17g\n", (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6, sums[0], sums[1], sums[2]);
  }
  return 0;
}
