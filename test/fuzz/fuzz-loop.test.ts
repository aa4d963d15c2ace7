// The fuzzer finds planted faults: an error behind a few bytes, a square, a message with control characters, and a false result.
import { describe, expect, test } from 'vitest';
import { BranchCounts } from './branch-counts.ts';
import { type FuzzReport, fuzz } from './fuzz-loop.ts';
import { demand, type FuzzTarget } from './fuzz-target.ts';

const counts = new BranchCounts();
const BRANCHES = Array.from({ length: 16 }, () => counts.add([]));
const take = (branch: number): void => counts.count(BRANCHES[branch] ?? 0);

class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

async function reportOf(
  run: FuzzTarget['run'],
  executions = 6_000,
  seeds = ['{"a":[1,2]}'],
): Promise<FuzzReport> {
  const tokens = ['R', 'I', 'S', 'K'];
  const target = { name: 'test/planted', from: 'a test', seeds, tokens, refuses: [RefusedError], run };
  const isEnded = (done: number) => done >= executions;
  return await fuzz(target, {
    counts,
    seed: 7,
    corpus: [],
    isEnded,
    begin: () => undefined,
    keep: () => undefined,
  });
}

const problemsOf = ({ findings }: FuzzReport) => findings.map(({ problem }) => problem);

describe('a planted fault is found', () => {
  test('behind five bytes, each of which reaches a branch', async () => {
    const report = await reportOf((input) => {
      for (const [index, letter] of [...'RISKS'].entries()) {
        if (input[index] !== letter.charCodeAt(0)) return;
        take(index);
      }
      throw new TypeError('planted');
    });
    expect(problemsOf(report)[0]).toContain('throws TypeError: planted');
    expect(report.findings[0]?.input.toString()).toBe('RISKS');
    // The fifth is reached only by the input that fails, which is not kept.
    expect(report.branches).toBe(4);
  });

  test('work that grows with the square of the input', async () => {
    const report = await reportOf((input) => {
      for (let n = 0; n < input.length ** 2; n++) take(1);
    }, 600);
    expect(problemsOf(report)[0]).toMatch(/takes more than \d+ branches/);
  });

  test('work without end, although the parser catches every error', async () => {
    const report = await reportOf((input) => {
      try {
        while (input.includes('[[')) take(1);
      } catch {
        return;
      }
    }, 150);
    expect(problemsOf(report)[0]).toMatch(/takes more than \d+ branches/);
  });

  test('control characters in the message of a refusal', async () => {
    const report = await reportOf((input) => {
      throw new RefusedError(`cannot read ${input.toString()}`);
    }, 600);
    expect(problemsOf(report)[0]).toContain('a message has control characters');
  });

  test('a result that contradicts its property', async () => {
    const report = await reportOf((input) => {
      const text = input.toString();
      demand(Buffer.from(text).equals(input), 'other bytes when written again');
    });
    expect(problemsOf(report)[0]).toContain('other bytes when written again');
  });
});

test('a parser without a fault has no finding, and the same seed gives the same report', async () => {
  const run = (input: Buffer) => {
    take(input.length % 16);
    if (input.length > 9) throw new RefusedError('too long');
  };
  const report = await reportOf(run, 3_000);
  expect(report.findings).toEqual([]);
  expect(report.branches).toBe(16);
  const again = await reportOf(run, 3_000);
  expect({ ...again, heapGrowthMb: 0 }).toEqual({ ...report, heapGrowthMb: 0 });
});
