// Builds the index of a segment from its bytes: in the writer, and in a server whose version has none or a damaged one.
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { msOfParts, writeParts } from '../../platform/base/ulid.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { SegmentEntry } from '../layout.ts';
import { SEGMENT_ADVICE } from '../read.ts';
import { encodeColumns, narrowest } from './column-file.ts';
import { type ScannedEvent, scanEvent } from './scan-event.ts';
import {
  BLOCK_HASH,
  type EventKind,
  HASHED_BLOCK,
  hashOfBlock,
  INDEX_FORMAT,
  type IndexColumns,
  type IndexFacts,
  POSITION_STEP,
} from './segment-index.ts';

const LINES_PER_TURN = 2_048;
const NEWLINE = 0x0a;

/** Leaves room for other work in between. `file` is for messages. @throws DamagedFileError unless each line is an event, as many as stated */
export async function buildSegmentIndex(bytes: Buffer, entry: SegmentEntry, file: string): Promise<Buffer> {
  const damaged = (expected: string, actual: string) =>
    new DamagedFileError({ file, expected, actual, advice: SEGMENT_ADVICE });
  const draft = new IndexDraft(entry);
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const scanned = scanEvent(bytes, start, end);
    if (scanned === undefined) throw damaged('one event per line', `something else at byte ${start}`);
    if (draft.count === entry.count) throw damaged(`${entry.count} events`, 'more');
    draft.add(bytes, scanned);
    start = end + 1;
    if (draft.count % LINES_PER_TURN === 0) await turn();
  }
  if (draft.count < entry.count) throw damaged(`${entry.count} events`, `${draft.count}`);
  const block_hashes = await blockHashes(bytes);
  return encodeColumns({ facts: draft.facts(), columns: { ...draft.columns(), block_hashes } });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function blockHashes(bytes: Buffer): Promise<Uint8Array> {
  const count = Math.ceil(bytes.length / HASHED_BLOCK);
  const hashes = new Uint8Array(count * BLOCK_HASH);
  for (let block = 0; block < count; block++) {
    const start = block * HASHED_BLOCK;
    hashes.set(hashOfBlock(bytes.subarray(start, start + HASHED_BLOCK)), block * BLOCK_HASH);
    if (block % 64 === 63) await turn();
  }
  return hashes;
}

/** The columns of the events so far. */
class IndexDraft {
  count = 0;
  readonly #entry: SegmentEntry;
  /** End of the previous envelope. */
  #end = 0;
  readonly #ids: Uint32Array;
  readonly #positions: number[] = [];
  readonly #gaps: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #seconds: Float64Array;
  readonly #kinds: Uint32Array;
  readonly #kindNumbers = new Map<string, number>();
  readonly #kindList: EventKind[] = [];
  readonly #subjects: Uint32Array;
  readonly #subjectNumbers = new Map<string, number>();

  constructor(entry: SegmentEntry) {
    this.#entry = entry;
    const { count } = entry;
    this.#ids = new Uint32Array(count * 4);
    this.#gaps = new Uint32Array(count);
    this.#lengths = new Uint32Array(count);
    this.#seconds = new Float64Array(count);
    this.#kinds = new Uint32Array(count);
    this.#subjects = new Uint32Array(count);
  }

  add(bytes: Buffer, event: ScannedEvent): void {
    const ordinal = this.count++;
    writeParts(bytes, event.idStart, this.#ids, ordinal * 4);
    if (ordinal % POSITION_STEP === 0) this.#positions.push(event.start);
    this.#gaps[ordinal] = event.start - this.#end;
    this.#lengths[ordinal] = event.end - event.start;
    this.#end = event.end;
    this.#seconds[ordinal] = event.second;
    this.#kinds[ordinal] = this.#kindOf(event);
    this.#subjects[ordinal] = numberOf(this.#subjectNumbers, foldAddresses(event.subject));
  }

  facts(): IndexFacts {
    return {
      format: INDEX_FORMAT,
      segment_sha256: this.#entry.sha256,
      segment_bytes: this.#entry.bytes,
      events: this.count,
      first_ms: this.#msOf(0),
      kinds: this.#kindList,
    };
  }

  columns(): Omit<IndexColumns, 'block_hashes'> {
    const each = (value: (ordinal: number) => number) =>
      narrowest(Array.from(this.#seconds, (_, n) => value(n)));
    const word = (ordinal: number, number: number) => this.#ids[ordinal * 4 + number] ?? 0;
    const first = this.#msOf(0);
    return {
      id_ms: each((ordinal) => this.#msOf(ordinal) - first),
      id_high: each((ordinal) => word(ordinal, 1) % 2 ** 16),
      id_middle: each((ordinal) => word(ordinal, 2)),
      id_low: each((ordinal) => word(ordinal, 3)),
      positions: narrowest(this.#positions),
      gaps: narrowest(this.#gaps),
      lengths: narrowest(this.#lengths),
      seconds: narrowest(this.#seconds),
      kinds: narrowest(this.#kinds),
      ...subjectColumns(this.#subjectNumbers, this.#subjects),
    };
  }

  #msOf(ordinal: number): number {
    const [high = 0, low = 0] = this.#ids.subarray(ordinal * 4, ordinal * 4 + 2);
    return msOfParts([high, low, 0, 0]);
  }

  #kindOf({ type, severity, chain, protocol }: ScannedEvent): number {
    const kind: EventKind = [type, severity ?? null, chain ?? null, protocol ?? null];
    const number = numberOf(this.#kindNumbers, JSON.stringify(kind));
    if (number === this.#kindList.length) this.#kindList.push(kind);
    return number;
  }
}

/** Numbers names in order of appearance. */
function numberOf(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

/** `subjects`: the number of each event's subject. */
function subjectColumns(
  numbers: ReadonlyMap<string, number>,
  subjects: Uint32Array,
): Pick<IndexColumns, 'subject_names' | 'subject_starts' | 'subject_events' | 'subject_lists'> {
  const named = [...numbers]
    .map(([name, number]) => ({ name: Buffer.from(name), number }))
    .sort((a, b) => a.name.compare(b.name));
  const rankOf = new Uint32Array(named.length);
  for (const [rank, { number }] of named.entries()) rankOf[number] = rank;
  const sizes = new Uint32Array(named.length);
  for (const number of subjects) {
    const rank = rankOf[number] ?? 0;
    sizes[rank] = (sizes[rank] ?? 0) + 1;
  }
  const lists = runningSums(sizes);
  const next = Float64Array.from(lists);
  const events = new Uint32Array(subjects.length);
  for (const [ordinal, number] of subjects.entries()) {
    const rank = rankOf[number] ?? 0;
    const at = next[rank] ?? 0;
    events[at] = ordinal;
    next[rank] = at + 1;
  }
  return {
    subject_names: Buffer.concat(named.map(({ name }) => name)),
    subject_starts: narrowest(runningSums(named.map(({ name }) => name.length))),
    subject_events: narrowest(events),
    subject_lists: narrowest(lists),
  };
}

/** The sum of the numbers before each, and of all at the end. */
function runningSums(numbers: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(numbers.length + 1);
  for (let i = 0; i < numbers.length; i++) sums[i + 1] = (sums[i] ?? 0) + (numbers[i] ?? 0);
  return sums;
}
