// The normal draws of numpy's RandomState, for published results that depend on its seeds: Mersenne Twister and the polar method.

const N = 624;
const M = 397;

export function numpyNormals(seed: number, count: number): number[] {
  const next = mersenneTwister(seed);
  const fraction = () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
  const values: number[] = [];
  while (values.length < count) {
    const x = 2 * fraction() - 1;
    const y = 2 * fraction() - 1;
    const square = x * x + y * y;
    if (square >= 1 || square === 0) continue;
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    values.push(factor * y, factor * x);
  }
  return values.slice(0, count);
}

function mersenneTwister(seed: number): () => number {
  const state = new Uint32Array(N);
  state[0] = seed;
  for (let i = 1; i < N; i++) {
    const before = state[i - 1] ?? 0;
    state[i] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + i;
  }
  let index = N;
  return () => {
    if (index === N) {
      twist(state);
      index = 0;
    }
    let word = state[index++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < N; i++) {
    const bits = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % N] ?? 0) & 0x7fffffff);
    state[i] = (state[(i + M) % N] ?? 0) ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
  }
}
