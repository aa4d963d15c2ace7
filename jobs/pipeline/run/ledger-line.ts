// A line of the ledger: one JSON object that ends with a checksum, so that a changed digit is detected.
import { createHash } from 'node:crypto';
import { Nullable, Strict, Type } from '../../../schemas/define.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import type { Interval } from '../../define/source.ts';

export type RunState = 'started' | 'succeeded' | 'partial' | 'failed' | 'skipped';

export interface LedgerEntry {
  /** One id per run, shared by its `started` and its closing entry. */
  readonly run: string;
  readonly job: 'tick' | 'backfill' | 'rebuild' | 'redrive' | 'retract' | 'reland' | 'drop';
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
    /** Filtered out by a source's `where` or join. */
    readonly filtered?: number;
  };
  readonly events_appended?: number;
  readonly reasons?: readonly string[];
  /** Damage that the run found and repaired. */
  readonly repaired?: readonly string[];
}

const count = Type.Integer({ minimum: 0 });
const message = Type.Array(Type.String());
const EntryShape = Strict({
  run: Type.String(),
  job: Type.Enum(['tick', 'backfill', 'rebuild', 'redrive', 'retract', 'reland', 'drop']),
  interval: Strict({ from: Type.Integer(), to: Type.Integer() }),
  attempt: count,
  state: Type.Enum(['started', 'succeeded', 'partial', 'failed', 'skipped']),
  at: Type.String(),
  input_hashes: Type.Optional(message),
  output_version: Type.Optional(Nullable(Type.String())),
  rows: Type.Optional(
    Strict({
      in: count,
      landed: count,
      quarantined: count,
      deduplicated: count,
      filtered: Type.Optional(count),
    }),
  ),
  events_appended: Type.Optional(count),
  reasons: Type.Optional(message),
  repaired: Type.Optional(message),
});

const SUM_DIGITS = 16;
/** A line ends at a line feed only: reasons may have the other separators that a dot does not match. */
const WITH_SUM = /^(\{.*),"sum":"([0-9a-f]{16})"\}$/s;

const sumOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, SUM_DIGITS);

/** The line of an entry, with its line end. */
export function writeLine(entry: LedgerEntry): string {
  const text = JSON.stringify(entry);
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`;
}

export interface LedgerText {
  readonly entries: readonly LedgerEntry[];
  /** Messages about invalid lines, each with file and line number. */
  readonly faults: readonly string[];
  /** An unterminated last line, left by a crash or a write in progress; null when there is none. */
  readonly torn: { readonly line: number; readonly start: number; readonly bytes: Buffer } | null;
}

/** Older lines without a checksum are accepted until the first line that has one. */
export function parseLedger(bytes: Buffer, file: string): LedgerText {
  const entries: LedgerEntry[] = [];
  const faults: string[] = [];
  const end = bytes.lastIndexOf(0x0a) + 1;
  let hasSums = false;
  let count = 0;
  for (const line of linesOf(bytes.subarray(0, end))) {
    count += 1;
    const parsed = parseLine(line);
    if (typeof parsed === 'string' || (hasSums && !parsed.hasSum)) {
      const problem = typeof parsed === 'string' ? parsed : 'no checksum';
      faults.push(
        `${file} line ${count} is not an entry (${problem}). Restore the file from a copy, or remove the line: the runs it recorded are then repeated.`,
      );
      continue;
    }
    hasSums ||= parsed.hasSum;
    entries.push(parsed.entry);
  }
  const torn = end === bytes.length ? null : { line: count + 1, start: end, bytes: bytes.subarray(end) };
  return { entries, faults, torn };
}

/** Without their ends. One by one, because a ledger of years has a hundred megabytes. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}

/** The parsed entry, or a message that says what is wrong with the line. */
function parseLine(line: string): string | { readonly entry: LedgerEntry; readonly hasSum: boolean } {
  const [, start, sum] = WITH_SUM.exec(line) ?? [];
  const text = start === undefined ? line : `${start}}`;
  if (sum !== undefined && sumOf(text) !== sum) return 'its checksum does not match';
  try {
    const entry = JSON.parse(text) as LedgerEntry;
    if (errorsOf(EntryShape, entry).length > 0) return 'members are missing or unknown';
    return { entry, hasSum: sum !== undefined };
  } catch (error) {
    if (error instanceof SyntaxError) return 'it is not JSON';
    throw error;
  }
}
