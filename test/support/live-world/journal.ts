// What the simulated world returned, to whom and when: the evidence that tables are compared with.
import { createHash } from 'node:crypto';
import { type ModelRow, rowsSaid } from './expected.ts';
import type { Endpoint, Question } from './endpoints.ts';
import type { TroubleReply } from './replies.ts';

export interface Said {
  readonly source: string;
  readonly host: string;
  /** Unix seconds. */
  readonly at: number;
  /** Null for a good response. */
  readonly trouble: string | null;
}

export interface SaidRows {
  /** Rows that must exist. */
  readonly always: ReadonlyMap<string, ModelRow>;
  /** Rows that may also exist; all of them are true. */
  readonly perhaps: ReadonlyMap<string, ModelRow>;
}

export const idOf = ({ table, key }: ModelRow): string => `${table} ${key}`;

/** Of rows with the same key, keeps the one with the smaller figures, whatever their order: the other one conflicts with it. */
const oneOfEach = (rows: readonly ModelRow[]): readonly ModelRow[] =>
  Object.values(Object.groupBy(rows, idOf)).flatMap((alike = []) =>
    alike.sort((a, b) => compared(a.says, b.says)).slice(0, 1),
  );

function compared(left: string, right: string): number {
  const [a, b] = [left, right].map((says) => says.split(' | '));
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  const [one = '', other = ''] = [a?.[at], b?.[at]];
  const byNumber = Number(one) - Number(other);
  return Number.isNaN(byNumber) ? one.localeCompare(other) : byNumber;
}

export class Journal {
  readonly said: Said[] = [];
  readonly #always = new Map<string, ModelRow>();
  readonly #perhaps = new Map<string, ModelRow>();
  /** Hash of the last body whose rows must land, by source: the same bytes again add nothing. */
  readonly #last = new Map<string, string>();
  /** Hashes of bodies whose rows may land. */
  readonly trueBodies = new Set<string>();

  note(
    { endpoint, question, source }: { endpoint: Endpoint; question: Question; source: string },
    document: unknown,
    trouble: { readonly name: string; readonly given: TroubleReply } | null,
  ): void {
    this.said.push({ source, host: question.host, at: question.now, trouble: trouble?.name ?? null });
    const { lands, counts = document, age = 0 } = trouble?.given ?? { lands: 'always' };
    if (lands === undefined) return;
    const body = trouble?.given.reply?.body ?? JSON.stringify(document);
    const hash = createHash('sha256').update(body).digest('hex');
    this.trueBodies.add(hash);
    const isNew = this.#last.get(source) !== hash;
    if (lands === 'always') this.#last.set(source, hash);
    if (source === 'chainlink-rounds') return;
    const rows = lands === 'always' && isNew ? this.#always : this.#perhaps;
    for (const row of oneOfEach(rowsSaid(endpoint.id, counts, Math.floor(question.now - age))))
      if (!rows.has(idOf(row))) rows.set(idOf(row), row);
  }

  rows(): SaidRows {
    return { always: this.#always, perhaps: this.#perhaps };
  }
}
