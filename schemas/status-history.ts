// The state of every dataset by day, as noted by publications.
import { type Static, Strict, Type, UnixSeconds } from './define.ts';
import { type SeriesDefinition, SeriesGapSchema, text } from './series.ts';

/** From the best to the worst. */
export const GATE_VERDICTS = ['pass', 'not_evaluated', 'warn', 'fail'] as const;
/** From the best to the worst. */
export const FRESHNESS_STATES = ['fresh', 'aging', 'unknown', 'stale'] as const;

/** Key of the series over all datasets. */
export const ALL_DATASETS = 'all';

export const STATUS_SERIES: SeriesDefinition = {
  dataset: 'status-history',
  grain: 'daily',
  columns: {
    gate: text('Worst verdict of its quality gate on that day'),
    freshness: text(
      'Worst freshness on that day, measured when versions were published and when the day ended',
    ),
  },
};

/** The day so far, as a row of the dataset. */
export const StatusDaySchema = Strict({
  dataset: Type.String({ description: `Id of a dataset, or \`${ALL_DATASETS}\` for the worst of all` }),
  day: Type.String({ format: 'date', description: 'UTC day' }),
  gate: Type.Enum([...GATE_VERDICTS], { description: 'Worst verdict of its quality gate so far' }),
  freshness: Type.Enum([...FRESHNESS_STATES], { description: 'Worst freshness so far' }),
});
export type StatusDay = Static<typeof StatusDaySchema>;

export const StatusHistorySchema = Strict({
  dataset: StatusDaySchema.properties.dataset,
  t: Type.Array(UnixSeconds('Day'), { description: 'Days with a publication, ascending' }),
  columns: Strict({
    gate: Type.Array(StatusDaySchema.properties.gate),
    freshness: Type.Array(StatusDaySchema.properties.freshness),
  }),
  gaps: Type.Array(SeriesGapSchema, { description: 'Periods in which nothing was published' }),
  resolution: Type.Literal('1d'),
});
