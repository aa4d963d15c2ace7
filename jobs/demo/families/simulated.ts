// A source of the demo world whose rows are written one by one: marked as simulated, and handed over column by column.
import type { ColumnsDelivery, Interval, Source } from '../../define.ts';

export type Row = Readonly<Record<string, string | number | null>>;

export interface Simulated {
  readonly table: string;
  /** What its rows are of, in words. */
  readonly what: string;
  readonly chain: string | null;
  /** Rows of one interval; all have the same members. */
  readonly rowsIn: (interval: Interval) => readonly Row[];
}

export const simulated = ({ table, what, chain, rowsIn }: Simulated): Source => ({
  facts: {
    id: `demo-${table.replaceAll('_', '-')}`,
    kind: 'simulated',
    name: `Demo world (simulated): ${what}`,
    url: null,
    chain,
    license: null,
  },
  table,
  async *deliveries(interval) {
    const rows = rowsIn(interval);
    if (rows.length > 0) yield deliveryOf(rows);
  },
});

function deliveryOf(rows: readonly Row[]): ColumnsDelivery {
  const names = Object.keys(rows[0] ?? {});
  return {
    kind: 'columns',
    count: rows.length,
    columns: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)])),
  };
}
