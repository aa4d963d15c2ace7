// The history of a dataset whose rows are current figures: the last rows published on each day.
import type { DatasetInput, SeriesPartInput } from '../../../../snapshots/dataset-input.ts';
import type { Document } from '../../../../snapshots/layout.ts';
import type { Dataset } from '../../../define/dataset.ts';
import type { PipelineContext } from '../../context.ts';
import { dayOf } from '../../run/plan.ts';
import type { Publication } from '../publication.ts';
import type { DayValues } from './recorded-days.ts';
import { recordedSeries } from './recorded-series.ts';

type Recorder = Pick<Dataset, 'id'> & Required<Pick<Dataset, 'recorded'>>;
type RowContext = Pick<PipelineContext, 'snapshots' | 'reporter'>;

export async function rowHistory(
  context: RowContext,
  { id, recorded }: Recorder,
  { input, publication }: { readonly input: DatasetInput; readonly publication: Publication },
): Promise<readonly SeriesPartInput[]> {
  const names = Object.keys(recorded.columns);
  const columns = { names, join: (_: DayValues, seen: DayValues) => seen };
  const day = dayOf(publication.now);
  const looks = [...input.documents].map((document) => {
    const { key, value } = 'line' in document ? decoded(document.line) : document;
    const row = value as DayValues;
    return { key, day, values: Object.fromEntries(names.map((name) => [name, row[name] ?? null])) };
  });
  return (await recordedSeries(context, { dataset: id, columns, looks }, publication)).parts;
}

const decoded = (line: Uint8Array): Document => JSON.parse(Buffer.from(line).toString()) as Document;
