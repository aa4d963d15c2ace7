// The ledger: what ran, over which interval, from which inputs, to which result. An append-only journal outside the warehouse, so that
// it survives a damaged warehouse and can be read while another process works.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Interval } from '../define.ts';

export type RunState = 'started' | 'succeeded' | 'partial' | 'failed' | 'skipped';

export interface LedgerEntry {
  /** One id a run; its `started` and its closing entry share it. */
  readonly run: string;
  readonly job: 'tick' | 'backfill' | 'rebuild' | 'redrive';
  readonly interval: Interval;
  /** 1 for the first try of this job and interval. */
  readonly attempt: number;
  readonly state: RunState;
  /** Wall clock, ISO 8601 UTC. */
  readonly at: string;
  readonly input_hashes?: readonly string[];
  readonly output_version?: string | null;
  readonly rows?: {
    readonly in: number;
    readonly landed: number;
    readonly quarantined: number;
    readonly deduplicated: number;
  };
  readonly events_appended?: number;
  readonly reasons?: readonly string[];
}

export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Writes one entry and flushes it to disk before it returns. */
  append(entry: LedgerEntry): void;
  /** How often this job was started over this interval. */
  attempts(job: LedgerEntry['job'], interval: Interval): number;
}

const sameRun = (entry: LedgerEntry, job: LedgerEntry['job'], interval: Interval) =>
  entry.job === job && entry.interval.from === interval.from && entry.interval.to === interval.to;

/** Reads the journal at `file`. A line that a crash cut short was never acknowledged and is passed over. */
export function readLedger(file: string): readonly LedgerEntry[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').flatMap(parseEntry);
}

function parseEntry(line: string): readonly LedgerEntry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as LedgerEntry];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Opens the journal for appending; the folder is made when it is missing. */
export function openLedger(file: string): Ledger {
  mkdirSync(dirname(file), { recursive: true });
  const entries = [...readLedger(file)];
  endWithNewline(file);
  return {
    entries,
    append(entry) {
      appendLine(file, `${JSON.stringify(entry)}\n`);
      entries.push(entry);
    },
    attempts: (job, interval) =>
      entries.filter((entry) => entry.state === 'started' && sameRun(entry, job, interval)).length,
  };
}

function appendLine(file: string, line: string): void {
  const descriptor = openSync(file, 'a');
  try {
    writeSync(descriptor, line);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A line that a crash cut short must not swallow the next entry. */
function endWithNewline(file: string): void {
  const descriptor = openSync(file, 'a+');
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return;
    const last = Buffer.alloc(1);
    readSync(descriptor, last, 0, 1, size - 1);
    if (last.toString() !== '\n') writeSync(descriptor, '\n');
  } finally {
    closeSync(descriptor);
  }
}
