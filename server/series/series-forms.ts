// The points of a series, and daily counts, as CSV and Arrow in addition to JSON. Times of points are Unix seconds in all forms.

import type { Json } from '../../platform/base/json.ts';
import { type TSchema, Type } from '../../schemas/define.ts';
import type { SeriesColumn } from '../../schemas/series.ts';
import { type Column, columnsOfRow } from '../../snapshots/columns.ts';
import type { Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { arrowStream } from '../forms/arrow.ts';
import { csvLine } from '../forms/render.ts';
import { acceptedForm, FORMS, type Form, mediaTypeOf } from '../replies/dataset-form.ts';
import type { Points } from './thin.ts';

export const SERIES_FORMS = ['json', 'csv', 'arrow'] as const;
export type SeriesForm = (typeof SERIES_FORMS)[number];
/** A form that makes up the whole response. */
export type TableForm = Exclude<SeriesForm, 'json'>;

const isSeriesForm = (form: Form): form is SeriesForm => SERIES_FORMS.some((one) => one === form);

/** What all endpoints with these forms share. */
export const NEGOTIATED = {
  isNegotiated: true,
  mediaTypes: [mediaTypeOf('csv'), mediaTypeOf('arrow')],
} as const;

/** `what`: the contents of CSV and Arrow. */
export const formatParameter = (what: string) =>
  Type.Optional(
    Type.Enum([...SERIES_FORMS], {
      default: 'json',
      description: `Alternative to \`Accept\`; CSV and Arrow contain only the ${what}`,
    }),
  );

export function formOf({
  format,
  accept,
}: {
  readonly format: SeriesForm | undefined;
  readonly accept: string | undefined;
}): SeriesForm {
  const form = format ?? acceptedForm(accept);
  if (form !== undefined && isSeriesForm(form)) return form;
  const offered = SERIES_FORMS.map(mediaTypeOf);
  throw new Failure('invalid_request', `Accept allows none of ${offered.join(', ')}.`, {
    details: { offered },
  });
}

export function renderSeries(
  form: TableForm,
  columns: { readonly [name: string]: SeriesColumn },
  points: Points,
): Promise<Buffer> {
  const names = Object.keys(columns);
  const rows = points.t.map((time, index): Json[] => [
    time,
    ...names.map((name) => points.columns[name]?.[index] ?? null),
  ]);
  const fields: Column[] = [
    { name: 't', type: { kind: 'integer' } },
    ...Object.entries(columns).map(([name, { kind }]) => ({ name, type: { kind } })),
  ];
  return renderTable(form, fields, rows);
}

async function renderTable(
  form: TableForm,
  columns: readonly Column[],
  rows: readonly (readonly Json[])[],
): Promise<Buffer> {
  if (form === 'csv') return Buffer.from([columns.map(({ name }) => name), ...rows].map(csvLine).join(''));
  const stream = await arrowStream(columns);
  stream.add(rows);
  return stream.end();
}

type Row = Readonly<Record<string, Json>>;

/** The rows as the whole response. */
export async function tableReply(
  form: TableForm,
  {
    name,
    row,
    rows,
  }: {
    /** File name without extension. */
    readonly name: string;
    /** Schema of a row, whose members are the columns. */
    readonly row: TSchema;
    readonly rows: readonly object[];
  },
): Promise<Reply> {
  const columns = columnsOfRow(row as unknown as Json);
  const values = rows.map((one) => columns.map((column) => (one as Row)[column.name] ?? null));
  const payload = await renderTable(form, columns, values);
  return { payload, media: { ...FORMS[form], fileName: `${name}.${form}` } };
}
