// A source of the demo world whose rows are generated one by one: marked as simulated, and delivered by column.
import type { ColumnsDelivery, Interval, Source, SourceFacts } from '../../../define/source.ts';

export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Rows of one interval; all have the same members. */
export type RowsIn = (interval: Interval) => readonly Row[];

export interface SimulatedTable {
  readonly table: string;
  /** What its rows describe, in words. */
  readonly what: string;
  readonly chain: string | null;
  readonly rowsIn: RowsIn;
}

export const simulated = ({ table, what, chain, rowsIn }: SimulatedTable): Source =>
  sourceOf(simulatedFacts(`demo-${table.replaceAll('_', '-')}`, what, chain), table, rowsIn);

/** Like `simulated`, but with a given id, which also serves as the description. */
export const simulatedAs = (id: string, table: string, rowsIn: RowsIn): Source =>
  sourceOf(simulatedFacts(`demo-${id}`, id.replaceAll('-', ' ')), table, rowsIn);

const sourceOf = (facts: SourceFacts, table: string, rowsIn: RowsIn): Source => ({
  facts,
  table,
  async *deliveries(interval) {
    yield* delivered(rowsIn(interval));
  },
});

/** `what`: what the rows of the source describe, in words. */
export const simulatedFacts = (id: string, what: string, chain: string | null = null): SourceFacts => ({
  id,
  kind: 'simulated',
  name: `Demo world (simulated): ${what}`,
  url: null,
  chain,
  license: null,
});

/** Rows as columns; nothing if there are none. */
function* delivered(rows: readonly Row[]): Generator<ColumnsDelivery> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).map((name) => [name, rows.map((row) => row[name] ?? null)] as const);
  yield { kind: 'columns', count: rows.length, columns: Object.fromEntries(columns) };
}
