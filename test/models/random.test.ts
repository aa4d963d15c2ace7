import { expect, test } from 'vitest';
import {
  finished,
  openStream,
  philox,
  RandomStream,
  statesBefore,
  type Words,
  WordStream,
} from '../../models/random-stream.ts';

// Random123, tests/kat_vectors
const ONES = 0xffffffff;
test.each<[string, Words, readonly [number, number], string]>([
  ['zeros', [0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
  ['ones', [ONES, ONES, ONES, ONES], [ONES, ONES], '408f276d 41c83b0e a20bc7c6 6d5451fd'],
  [
    'digits of pi',
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    'd16cfe09 94fdcceb 5001e420 24126ea1',
  ],
])('Philox gives the published words for a counter and key of %s', (_, counter, key, words) => {
  const hex = philox(counter, key).map((word) => word.toString(16).padStart(8, '0'));
  expect(hex.join(' ')).toBe(words);
});

test('xoshiro128** gives the published sequence', () => {
  const stream = new RandomStream([1, 2, 3, 4]);
  expect(Array.from({ length: 10 }, () => stream.next())).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

test('a state of zeros does not stay zero', () => {
  const stream = new RandomStream([0, 0, 0, 0]);
  expect(Array.from({ length: 20 }, () => stream.next()).some((word) => word > 0)).toBe(true);
});

test('streams differ by seed, path and purpose, and repeat for the same three', () => {
  const first = (seed: number, path: number, purpose: number) => openStream(seed, path, purpose).next();
  const seen = [
    first(1, 0, 0),
    first(2, 0, 0),
    first(1, 1, 0),
    first(1, 0, 1),
    first(1 + 2 ** 32, 0, 0),
    first(2 ** 53 - 1, 0, 0),
  ];
  expect(new Set(seen).size).toBe(seen.length);
  expect(first(7, 3, 2)).toBe(first(7, 3, 2));
});

test('draws are uniform: 100,000 of them in ten bins and as integers below seven', () => {
  const stream = openStream(42, 0, 0);
  const bins = new Array<number>(10).fill(0);
  const sevenths = new Array<number>(7).fill(0);
  for (let i = 0; i < 100_000; i++) {
    const bin = Math.floor(stream.fraction() * 10);
    bins[bin] = (bins[bin] ?? 0) + 1;
    const seventh = stream.below(7);
    sevenths[seventh] = (sevenths[seventh] ?? 0) + 1;
  }
  const chiSquare = (counts: readonly number[]) => {
    const expected = 100_000 / counts.length;
    return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  };
  // 99.9 % quantiles of χ² with nine and six degrees of freedom
  expect(chiSquare(bins)).toBeLessThan(27.88);
  expect(chiSquare(sevenths)).toBeLessThan(22.46);
});

test('words made ahead are those of the stream, with the second of each pair unfinished', () => {
  const stream = openStream(9, 4, 0);
  const expected = Array.from({ length: 39 }, () => stream.next());
  const ahead = new WordStream(new Uint32Array(8));
  ahead.open(9, 4, 0);
  const words: number[] = [];
  for (let fill = 0; fill < 5; fill++) {
    const from = fill === 0 ? 1 : 0;
    ahead.fill(from);
    for (let index = from; index < 8; index++) {
      const word = ahead.words[index] ?? 0;
      words.push(index % 2 === 0 ? word : finished(word));
    }
  }
  expect(words).toEqual(expected);
});

test('one step after the state before it, a stream begins', () => {
  for (const [seed, path, purpose] of [
    [0, 0, 0],
    [7, 19_999, 1],
    [2 ** 53 - 1, 3, 2],
  ] as const) {
    const state = statesBefore(seed, path, path + 1, purpose);
    const stream = openStream(seed, path, purpose);
    for (let draw = 0; draw < 5; draw++) {
      let [a = 0, b = 0, c = 0, d = 0] = state;
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 11) | (d >>> 21);
      state.set([a, b, c, d]);
      expect(finished(b)).toBe(stream.next());
    }
  }
});
