// Small factories for published folders: a temporary folder, documents, datasets and events with defaults.

import type { Json } from '../../../platform/base/json.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import type { PublishInput } from '../../../snapshots/write.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

export async function withFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = temporaryFolder('snapshots');
  try {
    return await use(dir);
  } finally {
    removeFolder(dir);
  }
}

export const T0 = Date.parse('2026-01-01T00:00:00Z');

export const iso = (ms: number): string => new Date(ms).toISOString();

export const dataset = (
  id: string,
  values: { readonly [key: string]: Json },
  overrides: Partial<DatasetInput> = {},
): DatasetInput => ({
  id,
  documents: Object.entries(values).map(([key, value]) => ({ key, value })),
  computed_at: iso(T0),
  update_cadence_seconds: 300,
  sources: [],
  confidence: { score: 1, level: 'high', inputs_used: 1, inputs_expected: 1, reasons: [] },
  quality_gate: { verdict: 'pass', checks: [], evaluated_at: iso(T0), policy_version: '1.0.0' },
  ...overrides,
});

/** The same as a table, with a Parquet form that holds `rows`. */
export const tableDataset = (
  id: string,
  values: { readonly [key: string]: Json },
  rows = JSON.stringify(values),
) =>
  dataset(id, values, {
    rows: Object.keys(values).length,
    table: { title: id, key: ['key'], separator: '/', shape: 'one', row: { type: 'object' } },
    parquet: async () => Buffer.from(`PAR1 ${rows}`),
  });

/** Published as of T0 plus `tick` five-minute steps. */
export const publication = (tick: number, overrides: Partial<PublishInput> = {}): PublishInput => ({
  as_of: iso(T0 + tick * 300_000),
  generated_at: iso(T0 + tick * 300_000 + 1_000),
  engine_version: '1.0.0',
  methodology_version: '1.0.0',
  policy_version: '1.0.0',
  datasets: [dataset('feeds', { 'feed/a': { price: '1.00' }, 'feed/b': { price: '2.00' } })],
  segments: [],
  ...overrides,
});

export const candidate = (key: string, atMs = T0, data: Json = {}): EventCandidate => ({
  key,
  envelope: { type: 'oracle.stale', subject_id: 'oracle_feed:x', ts: iso(atMs), data },
});
