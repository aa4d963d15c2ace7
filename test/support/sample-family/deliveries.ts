// The files that the buoys deliver, and a configuration that reads them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../platform/base/json.ts';
import type { TestWorldOptions } from '../pipeline-world.ts';
import { buoys } from './domain.ts';

const CONFIG: Json = {
  profile: 'files',
  quarantine_limit_pct: 50,
  sources: {
    readings: {
      table: 'buoy_reading',
      path: 'readings-*.ndjson',
      format: 'ndjson',
      name: 'Readings',
      fields: { buoy: 'buoy', read_at: 'at', height_m: 'height' },
    },
    reports: {
      table: 'buoy_report',
      path: 'reports-*.ndjson',
      format: 'ndjson',
      name: 'Reports',
      fields: { buoy: 'buoy', seen_at: 'at', author: 'by' },
    },
  },
};

/** Options of a pipeline that reads the buoys of its folder; `now` in Unix seconds. */
export const sampleOptions = (now: number, options: Partial<TestWorldOptions> = {}): TestWorldOptions => ({
  now,
  config: CONFIG,
  domains: [buoys],
  ...options,
});

const lines = (rows: readonly Json[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/**
 * Delivers readings up to `at`, including a high wave and a bad reading, and a report, one file each. The same time gives the same
 * readings.
 */
export function deliver(dir: string, at: number): void {
  const readings = [60, 180].map((before) => {
    const time = at - before;
    return { buoy: `b${time % 2}`, at: time, height: 1 + (time % 5) };
  });
  const high = { buoy: 'b2', at: at - 120, height: 9 };
  const bad = { buoy: 'b0', at: at - 30, height: -1 };
  writeFileSync(join(dir, `readings-${at}.ndjson`), lines([...readings, high, bad]));
  writeFileSync(
    join(dir, `reports-${at}.ndjson`),
    lines([{ buoy: 'b0', at: at - 90, by: `keeper ${at % 3}` }]),
  );
}
