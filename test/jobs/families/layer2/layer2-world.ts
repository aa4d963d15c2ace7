// Layer-2 figures as files, and the statistics that are published of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer2Statistic } from '../../../../schemas/layer2.ts';
import { documentsOf, type FilesConfig } from '../../../support/published-files.ts';

export const DAY = 86_400;

export interface FigureRow {
  readonly network: string;
  readonly metric: string;
  readonly day_at: number;
  readonly measured_at?: number;
  readonly value: number | string;
}

const FIELDS = {
  network: 'network',
  metric: 'metric',
  day_at: { from: 'day_at', time: 'unix_s' },
  measured_at: { from: 'measured_at', time: 'unix_s' },
  value: 'value',
};

/** A configuration with one NDJSON file of rows a source. */
export function figureFiles(
  dir: string,
  files: { readonly [source: string]: readonly FigureRow[] },
): FilesConfig {
  const sources = Object.entries(files).map(([id, rows]) => {
    writeFileSync(join(dir, `${id}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return [id, { table: 'layer2_metric', path: `${id}.ndjson`, format: 'ndjson', name: id, fields: FIELDS }];
  });
  return { profile: 'files', sources: Object.fromEntries(sources) };
}

/** Statistics as published, by network. */
export const statisticsOf = (dir: string) =>
  documentsOf<readonly Layer2Statistic[]>(dir, 'layer2-statistics');
