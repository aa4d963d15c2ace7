// Series: figures of one subject over time, in columns (decision 65). All series share one form.
import { type Static, PartialDay, Strict, type TSchema, Type, UnixSeconds } from './define.ts';
import { AgenticSchema } from './envelopes.ts';

/** `raw`: as observed; `1h`, `1d`: one point per hour or UTC day. */
export const RESOLUTIONS = ['raw', '1h', '1d'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const RESOLUTION_SECONDS = { '1h': 3_600, '1d': 86_400 } as const;

/** Days for which points of each resolution are published. */
export const SERIES_DAYS: Readonly<Record<Resolution, number>> = { raw: 30, '1h': 90, '1d': 400 };
/** Days that a request covers without `from`. */
export const SERIES_DEFAULT_DAYS: Readonly<Record<Resolution, number>> = { raw: 1, '1h': 7, '1d': 90 };
export const MAX_SERIES_POINTS = 2_000;

export interface SeriesColumn {
  readonly kind: 'number' | 'text' | 'boolean';
  readonly unit: string | null;
  readonly description: string;
  /** A number that changes seldom, such as a threshold: an hour or a day has only its last value. */
  readonly isSteady?: true;
}

export interface SeriesDefinition {
  /** Dataset whose documents are the subjects. */
  readonly dataset: string;
  /** `observed`: points as they come, aggregated by hour and day. `daily`: one record per day and nothing finer. */
  readonly grain: 'observed' | 'daily';
  readonly columns: { readonly [name: string]: SeriesColumn };
}

export const number = (unit: string | null, description: string): SeriesColumn => ({
  kind: 'number',
  unit,
  description,
});
export const steady = (unit: string | null, description: string): SeriesColumn => ({
  ...number(unit, description),
  isSteady: true,
});
export const text = (description: string): SeriesColumn => ({ kind: 'text', unit: null, description });
export const flag = (description: string): SeriesColumn => ({ kind: 'boolean', unit: null, description });

export const resolutionsOf = ({ grain }: Pick<SeriesDefinition, 'grain'>): readonly Resolution[] =>
  grain === 'daily' ? ['1d'] : RESOLUTIONS;

/** The columns of a resolution: aggregated points have the last, lowest and highest value of a number. */
export function columnsAt(
  { grain, columns }: SeriesDefinition,
  resolution: Resolution,
): { readonly [name: string]: SeriesColumn } {
  if (grain === 'daily' || resolution === 'raw') return columns;
  const all = Object.entries(columns).flatMap(([name, column]): [string, SeriesColumn][] =>
    isRanged(column)
      ? [
          [name, { ...column, description: `${column.description}: the last` }],
          [`${name}_min`, { ...column, description: `${column.description}: the lowest` }],
          [`${name}_max`, { ...column, description: `${column.description}: the highest` }],
        ]
      : [[name, column]],
  );
  return Object.fromEntries(all);
}

/** Whether aggregated points have a lowest and a highest value of the column. */
export const isRanged = ({ kind, isSteady }: SeriesColumn): boolean => kind === 'number' && !isSteady;

export const SeriesGapSchema = Strict({
  from: UnixSeconds('Last covered moment before the gap'),
  to: UnixSeconds('First covered moment after the gap'),
  reason: Type.String({ description: 'What is missing' }),
});
export type SeriesGap = Static<typeof SeriesGapSchema>;

const Value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]);

export const SeriesSchema = Strict({
  t: Type.Array(UnixSeconds('Time'), { description: 'Times of the points, ascending' }),
  columns: Type.Record(Type.String(), Type.Array(Value), {
    description: 'A value for each time; null if unknown, never 0 instead',
  }),
  gaps: Type.Array(SeriesGapSchema, { description: 'Missing periods: draw no line across them' }),
  resolution: Type.Enum([...RESOLUTIONS]),
  is_thinned: Type.Boolean({
    description: `Of more than ${MAX_SERIES_POINTS} points, those with the lowest and the highest value of every column in each interval`,
  }),
});
export type Series = Static<typeof SeriesSchema>;

export const SeriesMetaSchema = Strict({
  dataset: Type.String({ description: 'Dataset of the subject' }),
  key: Type.String({ description: 'Key of the subject’s document in that dataset' }),
  from: UnixSeconds('Start of the range'),
  to: UnixSeconds('End of the range, included'),
  points: Type.Integer({ minimum: 0 }),
  points_before_thinning: Type.Integer({ minimum: 0 }),
  partial_day: PartialDay,
  columns: Type.Record(
    Type.String(),
    Strict({
      kind: Type.Enum(['number', 'text', 'boolean']),
      unit: Type.Union([Type.String(), Type.Null()]),
      description: Type.String(),
    }),
  ),
  _agentic: AgenticSchema,
});

export const V2Series = (data: TSchema = SeriesSchema) =>
  Strict({ data, meta: SeriesMetaSchema, error: Type.Null() });

/** A history with one point a day. */
export const dailySeries = (dataset: string, columns: SeriesDefinition['columns']): SeriesDefinition => ({
  dataset,
  grain: 'daily',
  columns,
});
