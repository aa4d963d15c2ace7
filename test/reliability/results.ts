// What rows of the reliability tests have found, kept in one file, so that an interrupted run continues where it stopped.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RowResult {
  readonly row: string;
  /**
   * `unfinished`: stopped at the time limit of a row; what it had done until then was without a failure, and a row that has saved its progress
   * continues there. `skipped`: none failed, but not all of its tests ran, because something that they need is not on this machine.
   */
  readonly state: 'passed' | 'failed' | 'unfinished' | 'skipped';
  readonly started_at: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly string[];
  /** Printed by the row; of an unfinished row, the progress that it has saved. */
  readonly figures: readonly string[];
  /** Seeds that the output of a failed row names. */
  readonly seeds: readonly string[];
  /** The whole output. */
  readonly log: string;
}

export interface Results {
  /** Commit of the tested code; `+` follows if files were changed. */
  readonly revision: string;
  /** RELIABILITY_SCALE */
  readonly scale: string;
  readonly rows: readonly RowResult[];
}

/** What is in the file, if it is about the same code and counts; otherwise none. */
export function resultsIn(file: string, { revision, scale }: Omit<Results, 'rows'>): Results {
  const none = { revision, scale, rows: [] };
  try {
    const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
    return results.revision === revision && results.scale === scale ? results : none;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none;
    throw error;
  }
}

/** Replaces an earlier result of the same row. */
export function addResult(results: Results, result: RowResult): Results {
  return { ...results, rows: [...results.rows.filter(({ row }) => row !== result.row), result] };
}

export function keepResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(results, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** What a row printed itself: the lines between `stdout | <test>` and the next empty line. */
export function figuresIn(log: string): string[] {
  const blocks = log.split(/^stdout \| .*$/m).slice(1);
  return blocks.flatMap((block) => {
    const lines = block.replace(/^\n/, '').split('\n');
    const end = lines.indexOf('');
    return end === -1 ? lines : lines.slice(0, end);
  });
}

export const seedsIn = (log: string): string[] => [
  ...new Set(log.match(/\bseeds?[:= ]+-?\d+(?:, path: "[\d:]+")?/gi) ?? []),
];
