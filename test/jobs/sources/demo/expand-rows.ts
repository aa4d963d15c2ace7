// Rows of column deliveries as a reader would see them, with `shared` and `computed` worked out in TypeScript.

import type { ColumnsDelivery, Delivery, Interval, Source } from '../../../../jobs/define/source.ts';
import type { DemoSettings } from '../../../../jobs/sources/demo/scenario/settings.ts';

export interface RoundRow {
  readonly chain: string;
  readonly feed_address: string;
  readonly round_id: string;
  readonly answer: string;
  readonly decimals: number;
  readonly updated_at: number;
  readonly block_number: number;
}

export type RegistryRow = Readonly<Record<string, string | number | null>>;

export const STARTED_AT = 1_790_000_000;

export const settings = (change: Partial<DemoSettings> = {}): DemoSettings => ({
  seed: 1,
  feeds: 40,
  days: 30,
  incidents: true,
  startedAt: STARTED_AT,
  ...change,
});

export async function deliveries(source: Source | undefined, interval: Interval): Promise<ColumnsDelivery[]> {
  const found: ColumnsDelivery[] = [];
  for await (const delivery of source?.deliveries(interval) ?? []) found.push(asColumns(delivery));
  return found;
}

function asColumns(delivery: Delivery): ColumnsDelivery {
  if (delivery.kind !== 'columns') throw new Error(`a ${delivery.kind} delivery was not expected`);
  return delivery;
}

export function roundRows(delivery: ColumnsDelivery): RoundRow[] {
  const column = (name: string, row: number) =>
    delivery.columns[name]?.[row] ?? delivery.shared?.values[name]?.[delivery.shared.codes[row] ?? -1];
  return Array.from({ length: delivery.count }, (_, row) => ({
    chain: String(column('chain', row)),
    feed_address: String(column('feed_address', row)),
    round_id: String(
      (BigInt(Number(column('phase', row))) << 64n) + BigInt(Number(column('block', row)) - 100_000_000),
    ),
    answer: column('is_spoilt', row) === 1 ? 'not a number' : `${column('head', row)}${column('zeros', row)}`,
    decimals: Number(column('decimals', row)),
    updated_at: 12 * Number(column('block', row)) + 11,
    block_number: Number(column('block', row)),
  }));
}

export async function rounds(source: Source | undefined, interval: Interval): Promise<RoundRow[]> {
  return (await deliveries(source, interval)).flatMap(roundRows);
}

export async function registry(source: Source | undefined, interval: Interval): Promise<RegistryRow[]> {
  return (await deliveries(source, interval)).flatMap((delivery) =>
    Array.from({ length: delivery.count }, (_, row) =>
      Object.fromEntries(
        Object.entries(delivery.columns).map(([name, values]) => [
          name,
          (values[row] ?? null) as string | number | null,
        ]),
      ),
    ),
  );
}

/** One text per row, sorted: two deliveries hold the same rows exactly when these are equal. */
export function fingerprint(rows: readonly RoundRow[]): string[] {
  return rows.map((row) => Object.values(row).join('|')).sort();
}

export const price = (row: RoundRow): number => Number(row.answer) / 10 ** row.decimals;
