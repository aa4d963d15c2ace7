// The state of the datasets on each day: the worst gate and the worst freshness, for a chart with one bar per day.
import { IsoTime, type Static, Strict, Type, UnixSeconds } from '../../schemas/define.ts';
import { SERIES_DAYS } from '../../schemas/series.ts';
import {
  ALL_DATASETS,
  STATUS_SERIES,
  StatusDaySchema,
  StatusHistorySchema,
} from '../../schemas/status-history.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { missingDataset } from '../define/missing-data.ts';
import { refuseOthers } from '../define/filter-values.ts';
import {
  asOfParameter,
  instantParameter,
  listParameter,
  namesIn,
  secondsBetween,
} from '../define/parameters.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { readSeries, type SeriesRange } from '../series/read-series.ts';
import { rangeOf } from '../series/series-endpoint.ts';
import { formatParameter, formOf, NEGOTIATED, tableReply } from '../series/series-forms.ts';

type StatusHistory = Static<typeof StatusHistorySchema>;

const { dataset: DATASET, columns: COLUMNS } = STATUS_SERIES;

export const getStatusHistory = defineEndpoint({
  method: 'GET',
  tag: TAGS.operations,
  path: '/v1/status/history',
  summary: 'The worst quality gate and the worst freshness of every dataset on each UTC day',
  datasets: [DATASET],
  histories: [STATUS_SERIES],
  access: 'open',
  isBrowsed: true,
  ...NEGOTIATED,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    dataset: listParameter('datasets'),
    from: instantParameter('Days at or after this time; default: 90 days'),
    to: instantParameter('Days at or before this time; default: the time of the version'),
    format: formatParameter('rows, one per dataset and day,'),
    as_of: asOfParameter,
  }),
  response: Strict({
    data: Type.Array(StatusHistorySchema, {
      description: `Series by dataset, \`${ALL_DATASETS}\` first, which is the worst of all datasets`,
    }),
    meta: Strict({
      from: UnixSeconds('Start of the range'),
      to: UnixSeconds('End of the range, inclusive'),
      as_of: IsoTime('Time of the version'),
      kept_days: Type.Integer({ description: 'Days for which states are kept' }),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ query, accept }, services) {
    const form = formOf({ format: query.format, accept });
    const wanted = namesIn('dataset', query.dataset);
    const between = secondsBetween(query);
    const manifest = await services.datasets.manifestAt({ as_of: query.as_of });
    const entry = manifest.datasets[DATASET];
    if (entry === undefined) throw missingDataset({ manifest, isPast: query.as_of !== undefined }, DATASET);
    const range = rangeOf(manifest, { ...between, resolution: '1d' });
    const keys = await keysOf(services, manifest);
    refuseOthers('dataset', wanted, [...new Set([...keys, ...Object.keys(manifest.datasets)])]);
    const payload: StatusHistory[] = [];
    for (const key of keys)
      if (wanted === undefined || wanted.has(key))
        payload.push(await seriesOf(services, entry, { key, range }));
    const { from, to } = range;
    const meta = { from, to, as_of: datasetsAsOf(manifest), kept_days: SERIES_DAYS['1d'] };
    const identity = services.identify(JSON.stringify([manifest.version, query, form]));
    if (form !== 'json')
      return {
        ...(await tableReply(form, { name: DATASET, row: Row, rows: payload.flatMap(rowsOf) })),
        identity,
      };
    return { payload, meta, identity };
  },
  mirror: ({ versions }) => (versions.current?.dataset(DATASET) === undefined ? [] : [{}]),
});

const { dataset, gate, freshness } = StatusDaySchema.properties;
const Row = Strict({ dataset, t: UnixSeconds('Day'), gate, freshness });

const rowsOf = ({ dataset: of, t, columns }: StatusHistory) =>
  t.map((time, index) => ({
    dataset: of,
    t: time,
    gate: columns.gate[index] ?? null,
    freshness: columns.freshness[index] ?? null,
  }));

async function keysOf(services: Services, manifest: Manifest): Promise<readonly string[]> {
  const loaded = await services.versions.datasetOf(DATASET, manifest);
  const keys = [...(loaded?.documents.keys() ?? [])].filter((key) => key !== ALL_DATASETS);
  return [ALL_DATASETS, ...keys.sort()];
}

async function seriesOf(
  { series }: Services,
  entry: DatasetEntry,
  { key, range }: { readonly key: string; readonly range: SeriesRange },
): Promise<StatusHistory> {
  const wanted = { dataset: DATASET, entry, key, columns: Object.keys(COLUMNS) };
  const { t, columns, gaps } = await readSeries(series, wanted, range);
  const { gate = [], freshness = [] } = columns as Partial<StatusHistory['columns']>;
  return { dataset: key, t: [...t], columns: { gate, freshness }, gaps: [...gaps], resolution: '1d' };
}
