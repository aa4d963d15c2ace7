// The ledger: what ran, over which interval, from which inputs, with which result. An append-only journal outside the warehouse, so that
// it survives a damaged warehouse and can be read while another process works. The line format is in ledger-line.ts.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderSync } from '../../../platform/storage/disk.ts';
import type { Interval } from '../../define/source.ts';
import { type LedgerEntry, type LedgerText, parseLedger, writeLine } from './ledger-line.ts';

export interface Ledger {
  /** What runs are found by. The rest stays in the journal, because a process keeps the entries of years. */
  readonly entries: readonly BriefEntry[];
  /** Messages about invalid lines, each with file and line number. The lines stay in the journal. */
  readonly faults: readonly string[];
  /** Describes what was repaired on opening; null when nothing was. */
  readonly repaired: string | null;
  /** Durable when it resolves. */
  append(entry: LedgerEntry): Promise<void>;
  /** How often this job was started for this interval. */
  attempts(job: LedgerEntry['job'], interval: Interval): number;
}

export type BriefEntry = Pick<LedgerEntry, 'run' | 'job' | 'interval' | 'state' | 'output_version'>;

const briefOf = ({ run, job, interval, state, output_version }: LedgerEntry): BriefEntry => ({
  run,
  job,
  interval,
  state,
  ...(output_version !== undefined && { output_version }),
});

const sameRun = (entry: BriefEntry, job: LedgerEntry['job'], interval: Interval) =>
  entry.job === job && entry.interval.from === interval.from && entry.interval.to === interval.to;

/** Reads the journal at `file`, even while another process writes it; empty when there is none. */
export const readLedger = (file: string): LedgerText =>
  parseLedger(existsSync(file) ? readFileSync(file) : Buffer.alloc(0), file);

/** Passes on a line that was written, if several hosts share the ledger. */
export type NoteLine = (line: string) => Promise<void>;

/** Opens the journal for the process that holds the folder's lock; creates the folder if it is missing. */
export function openLedger(file: string, note?: NoteLine): Ledger {
  mkdirSync(dirname(file), { recursive: true });
  const { entries: read, faults, torn } = readLedger(file);
  const entries = read.map(briefOf);
  const repaired = torn === null ? null : cutTornLine(file, torn);
  let bytes = bytesIn(file);
  return {
    entries,
    faults,
    repaired,
    async append(entry) {
      refuseOther(file, bytes);
      appendEntry(file, entry);
      bytes = bytesIn(file);
      entries.push(briefOf(entry));
      await note?.(writeLine(entry).trimEnd());
    },
    attempts: (job, interval) =>
      entries.filter((entry) => entry.state === 'started' && sameRun(entry, job, interval)).length,
  };
}

/** The ledger was removed, or an older copy took its place, while this process works with it. */
export class LedgerLostError extends Error {
  override readonly name = 'LedgerLostError';
  /** Whether it is there again. */
  readonly isBack: () => boolean;

  constructor(message: string, isBack: () => boolean) {
    super(message);
    this.isBack = isBack;
  }
}

/**
 * For a process that has worked with the ledger and is about to open its folder once more.
 * @throws LedgerLostError if the folder no longer holds what this process has read and written
 */
export function requireLedger({ entries }: Pick<Ledger, 'entries'>, file: string): void {
  const isBack = () => readLedger(file).entries.length >= entries.length;
  if (isBack()) return;
  throw new LedgerLostError(`${file} has fewer entries than this process knows: ${goneText(file)}`, isBack);
}

const goneText = (file: string): string =>
  `the folder ${dirname(file)} is gone, or another one is in its place. Nothing is written until it is back; the next tick then goes on by itself.`;

const bytesIn = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * If the folder is gone, for example because a volume is not mounted, a new ledger, landing and log would begin under its name.
 * @throws LedgerLostError
 */
function refuseOther(file: string, written: number): void {
  const there = bytesIn(file);
  if (there >= written) return;
  const isBack = () => bytesIn(file) >= written;
  throw new LedgerLostError(
    `${file} has ${there} bytes, and this process knows ${written}: ${goneText(file)}`,
    isBack,
  );
}

/** Appends one entry without reading the journal, for a process that does not hold the folder's lock. */
export function appendEntry(file: string, entry: LedgerEntry): void {
  mkdirSync(dirname(file), { recursive: true });
  const isNew = bytesIn(file) === 0;
  const descriptor = openSync(file, 'a');
  try {
    writeSync(descriptor, writeLine(entry));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (isNew) syncFolderSync(dirname(file));
}

/** Removes a line that a crash cut short, which would swallow the next entry. It was never acknowledged; its bytes are kept in `.torn`. */
function cutTornLine(file: string, { line, start, bytes }: NonNullable<LedgerText['torn']>): string {
  appendFileSync(`${file}.torn`, Buffer.concat([bytes, Buffer.from('\n')]), { flush: true });
  truncateSync(file, start);
  return `${file} line ${line} was cut short by a crash: its ${bytes.length} bytes were moved to ${file}.torn`;
}

/** Logical time that completed ticks have reached and that has not been retracted; null before the first tick. */
export function lastTick(entries: readonly BriefEntry[]): number | null {
  let last: number | null = null;
  for (const { job, state, interval } of entries) {
    if (state !== 'succeeded' && state !== 'partial') continue;
    if (job === 'tick') last = Math.max(last ?? interval.to, interval.to);
    if (job === 'retract' && last !== null) last = Math.min(last, interval.to);
  }
  return last;
}

/** The version published last, in the order of the journal; null before the first. */
export const lastVersion = (entries: readonly BriefEntry[]): string | null =>
  entries.findLast(({ output_version }) => typeof output_version === 'string')?.output_version ?? null;
