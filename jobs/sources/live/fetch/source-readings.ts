// Rows that state how far sources have been read, and which subjects a reading lacks. Up to that time the absence of rows means that
// nothing happened; after it nothing is known. A reading counts once its rows have landed, so that rows in transit are not mistaken for
// silence.
import { printable } from '../../../../platform/base/printable.ts';
import { columnsDelivery, type Source, type SourceFacts } from '../../../define/source.ts';
import type { LiveSource, Span } from './live-source.ts';
import { gaps, isRead, joined } from './plan-windows.ts';
import type { Recording } from './recording.ts';

export interface SourceReading {
  readonly source: string;
  readonly table_name: string;
  readonly partition_key: string;
  readonly chain: string | null;
  readonly recording: string;
  readonly outcome: string;
  readonly since_at: number;
  readonly read_from_at: number;
  readonly read_through_at: number;
  readonly looked_at: number;
  readonly every_s: number;
  readonly block_number: number | null;
  readonly block_hash: string | null;
}

export interface ReadingGap {
  readonly source: string;
  readonly table_name: string;
  readonly partition_key: string;
  readonly recording: string;
  readonly subject: string;
  readonly reason: string;
  readonly since_at: number;
  readonly looked_at: number;
}

/** Collects the readings of a process. After a restart all of them are delivered again; landing drops those that it has. */
export class ReadingLog {
  readonly #spans = new Map<string, readonly Span[]>();
  /** By partition: subjects that readings lack, and since when. */
  readonly #lacking = new Map<string, ReadonlyMap<string, number>>();
  readonly #seen = new Set<string>();
  #pending: SourceReading[] = [];
  #gaps: ReadingGap[] = [];

  /** `recordings` have landed, oldest first; those noted before are skipped. `fetching` is the source that makes them. */
  note(source: LiveSource, fetching: LiveSource, recordings: readonly Recording[]): void {
    for (const recording of recordings.filter(isRead)) {
      const id = `${source.id} ${recording.id}`;
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      const reading = this.#readingOf(source, fetching, recording);
      this.#pending.push(reading);
      this.#gaps.push(...gapsOf(reading, recording));
    }
  }

  #readingOf(source: LiveSource, fetching: LiveSource, recording: Recording): SourceReading {
    const key = `${source.id}\n${recording.partition}`;
    const before = this.#spans.get(key) ?? [];
    const span = spanOf(recording, fetching.window !== null);
    const after = joined([...before, span]);
    this.#spans.set(key, after);
    const whole = after.find(({ from, to }) => from <= span.to && span.to <= to) ?? span;
    const since = newSince(span, before, fetching.window !== null);
    return {
      source: source.id,
      table_name: source.table,
      partition_key: recording.partition === '' ? 'all' : recording.partition,
      chain: recording.params['chain'] ?? source.facts.chain,
      recording: recording.id,
      outcome: recording.outcome,
      since_at: this.#resumedSince(key, recording, since),
      read_from_at: whole.from,
      read_through_at: whole.to,
      looked_at: Math.floor(recording.fetched_at),
      every_s: fetching.every_s,
      block_number: recording.block?.number ?? null,
      block_hash: recording.block?.hash ?? null,
    };
  }

  /** A subject that can be read again is read from when it was first missing: what has happened to it since is judged only now. */
  #resumedSince(key: string, { missing = [] }: Recording, since: number): number {
    const before = this.#lacking.get(key) ?? new Map<string, number>();
    const after = new Map(
      missing.map(({ subject }) => [subject, Math.min(before.get(subject) ?? since, since)]),
    );
    this.#lacking.set(key, after);
    const resumed = [...before].filter(([subject]) => !after.has(subject)).map(([, from]) => from);
    return Math.min(since, ...resumed);
  }

  /** Must follow the sources whose readings they deliver. The gaps of a reading are delivered before the reading. */
  sources(): readonly Source[] {
    const log = this;
    return [
      {
        facts: factsOf('source-reading-gaps', 'Gaps in readings of sources'),
        table: 'source_reading_gap',
        async *deliveries() {
          if (log.#gaps.length > 0) yield columnsDelivery(log.#gaps);
        },
        landed() {
          log.#gaps = [];
        },
      },
      {
        facts: factsOf('source-readings', 'Readings of sources'),
        table: 'source_reading',
        async *deliveries() {
          if (log.#pending.length > 0) yield columnsDelivery(log.#pending);
        },
        landed() {
          log.#pending = [];
        },
      },
    ];
  }
}

const factsOf = (id: string, name: string): SourceFacts => ({
  id,
  kind: 'derived',
  name,
  url: null,
  chain: null,
  license: null,
});

const MAX_REASON = 400;

const gapsOf = (
  { source, table_name, partition_key, recording: id, since_at, looked_at }: SourceReading,
  { missing = [] }: Recording,
): ReadingGap[] =>
  missing.map(({ subject, reason }) => ({
    ...{ source, table_name, partition_key, recording: id, subject },
    ...{ reason: printable(reason).slice(0, MAX_REASON), since_at, looked_at },
  }));

/** The span of a recording in whole seconds. A reading of the present covers everything older. */
const spanOf = ({ window, as_of }: Recording, isWindowed: boolean): Span =>
  isWindowed
    ? { from: Math.ceil(window.from), to: Math.max(Math.ceil(window.from), Math.floor(window.to)) }
    : { from: 0, to: Math.floor(as_of) };

function newSince(span: Span, before: readonly Span[], isWindowed: boolean): number {
  if (!isWindowed && before.length === 0) return span.to;
  return gaps(span, before)[0]?.from ?? span.to;
}
