// The points of a series as CSV and Arrow. Times are Unix seconds in both.
import type { SeriesColumn } from '../../schemas/series.ts';
import type { Column } from '../../snapshots/columns.ts';
import type { Json } from '../../snapshots/layout.ts';
import type { Form } from '../define/dataset-form.ts';
import { arrowStream } from '../forms/arrow.ts';
import { csvLine } from '../forms/text.ts';
import type { Points } from './thin.ts';

export const SERIES_FORMS = ['json', 'csv', 'arrow'] as const;
export type SeriesForm = (typeof SERIES_FORMS)[number];

export const isSeriesForm = (form: Form): form is SeriesForm => SERIES_FORMS.some((one) => one === form);

export async function renderSeries(
  form: Exclude<SeriesForm, 'json'>,
  columns: { readonly [name: string]: SeriesColumn },
  points: Points,
): Promise<Buffer> {
  const names = Object.keys(columns);
  const rows = points.t.map((time, place): Json[] => [
    time,
    ...names.map((name) => points.columns[name]?.[place] ?? null),
  ]);
  if (form === 'csv') return Buffer.from([['t', ...names], ...rows].map(csvLine).join(''));
  const fields: Column[] = [
    { name: 't', type: { kind: 'integer' } },
    ...Object.entries(columns).map(([name, { kind }]) => ({ name, type: { kind } })),
  ];
  const stream = await arrowStream(fields);
  stream.add(rows);
  return stream.end();
}
