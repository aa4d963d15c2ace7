// Event marks in rows by type. Where marks would overlap, one is shown: that of the most severe event, with the number of events.
import type { RiskEvent } from './api-shapes.ts';

const ORDER = ['info', 'warn', 'high', 'critical'];
const rank = (severity: string | undefined): number => ORDER.indexOf(severity ?? '');

export interface Mark {
  readonly row: number;
  /** From 0 to `columns` − 1. */
  readonly column: number;
  readonly severity: string;
  readonly count: number;
}

interface Marks {
  readonly types: readonly string[];
  readonly marks: readonly Mark[];
  /** Unix milliseconds. */
  readonly first: number;
  readonly last: number;
}

type MarkedEvent = Pick<RiskEvent, 'type' | 'ts' | 'severity'>;

/** At most one mark per row and column, whatever the number of events. */
export function marksOf(events: readonly MarkedEvent[], columns: number): Marks {
  const types = [...new Set(events.map(({ type }) => type))].sort();
  const times = events.map(({ ts }) => Date.parse(ts));
  const first = times.reduce((low, ms) => Math.min(low, ms), Infinity);
  const last = times.reduce((high, ms) => Math.max(high, ms), -Infinity);
  const rowOf = new Map(types.map((type, row) => [type, row]));
  const marks = new Map<number, Mark>();
  events.forEach(({ type, severity = 'unknown' }, index) => {
    const row = rowOf.get(type) ?? 0;
    const share = last === first ? 0 : ((times[index] ?? first) - first) / (last - first);
    const column = Math.min(columns - 1, Math.floor(share * columns));
    const at = row * columns + column;
    const known = marks.get(at);
    const worst = known === undefined || rank(severity) > rank(known.severity) ? severity : known.severity;
    marks.set(at, { row, column, severity: worst, count: (known?.count ?? 0) + 1 });
  });
  return { types, marks: [...marks.values()], first, last };
}
