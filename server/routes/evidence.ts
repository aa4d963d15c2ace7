// The evidence for an event: its rules, and the published points of its subject around its time. Read from published files; nothing is
// computed.
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { EvidenceSchema } from '../../schemas/evidence.ts';
import { FEED_SERIES, PEG_SERIES } from '../../schemas/oracle-series.ts';
import type { SeriesDefinition } from '../../schemas/series.ts';
import { LENDING_SERIES } from '../../schemas/lending.ts';
import { REGIME_SERIES } from '../../schemas/regime.ts';
import { YIELD_SERIES } from '../../schemas/yields.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { asOfParameter } from '../define/parameters.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { viewOf, visibleEvent } from '../replies/event-log-view.ts';
import { rulesOfEvent } from '../replies/rules-of-event.ts';
import { readSeries } from '../series/read-series.ts';

/** Range around the event: hours for points as observed, days for daily points. */
const REACH = { observed: 6 * HOUR_S, daily: 14 * DAY_S } as const;

interface SeriesKey {
  readonly definition: SeriesDefinition;
  readonly key: string;
}

/** By the first part of `subject_id`; the remaining parts are the values of the key. */
const SERIES_KEYS: Readonly<Record<string, (parts: readonly string[]) => SeriesKey>> = {
  peg: ([chain, ...name]) => ({ definition: PEG_SERIES, key: `${chain}|${name.join(':')}` }),
  oracle: ([chain, feed]) => ({ definition: FEED_SERIES, key: `${chain}|${feed}` }),
  liquidity: ([chain, ...market]) => ({ definition: LENDING_SERIES, key: `${chain}|${market.join(':')}` }),
  risk: (parts) => ({ definition: YIELD_SERIES, key: parts.slice(0, -1).join(':') }),
};

export const getEventEvidence = defineEndpoint({
  method: 'GET',
  tag: TAGS.events,
  path: '/v2/events/:id/evidence',
  summary:
    'The evidence for an event: the rules, the points of its subject around its time, the sources, and what is missing',
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'none',
  params: Strict({
    id: Type.String({ description: 'Id of the event', examples: ['01HZX3K9Q4T2V7B8N6M5P1R0SD'] }),
  }),
  query: Strict({ as_of: asOfParameter }),
  response: Strict({ data: EvidenceSchema, meta: Strict({}), error: Type.Null() }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, query, caller }, services) {
    const view = await viewOf(services, caller, query.as_of);
    const bytes = await visibleEvent(services, params.id, view);
    const manifest = await services.datasets.manifestAt({ as_of: query.as_of });
    const event = JSON.parse(bytes.toString()) as LoggedEvent;
    return { payload: await evidenceOf(services, manifest, { event, caller }), isPrivate: true };
  },
});

interface LoggedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly subject_id: string;
  readonly ts: string;
}

/**
 * Points as observed, hours around an open event, are its proof and shown to all; those of a dataset that needs a plan or a scope are not
 * (decision 72).
 */
async function evidenceOf(
  services: Services,
  manifest: Manifest,
  { event, caller }: { readonly event: LoggedEvent; readonly caller: Caller },
): Promise<object> {
  const second = Date.parse(event.ts) / 1_000;
  const [resource = '', ...parts] = event.subject_id.split(':');
  const seriesKey = event.type === 'regime.shift' ? REGIME : SERIES_KEYS[resource]?.(parts);
  const reach = REACH[seriesKey?.definition.grain ?? 'observed'];
  const window = { from: Math.max(0, Math.floor(second) - reach), to: Math.ceil(second) + reach };
  const { gaps: unknown, ...decided } = await rulesOfEvent(services, event);
  const isReadable =
    seriesKey === undefined || isAuthorized(services.datasetAccess(seriesKey.definition.dataset), caller);
  const found =
    seriesKey && isReadable ? await pointsOf(services, manifest, { seriesKey, window }) : undefined;
  const gaps = [
    ...unknown,
    ...(isReadable
      ? []
      : [`the points of its subject need what ${seriesKey?.definition.dataset} needs: a plan and a scope`]),
    ...(seriesKey === undefined
      ? ['the event itself is the only record: no history of its subject is published']
      : []),
    ...(seriesKey !== undefined && isReadable && (found === undefined || found.t.length === 0)
      ? ['no points of its subject are published for that time']
      : []),
  ];
  const series =
    seriesKey && found ? [{ dataset: seriesKey.definition.dataset, key: seriesKey.key, ...found }] : [];
  const entry = seriesKey && manifest.datasets[seriesKey.definition.dataset];
  const sources = entry?.sources ?? [];
  return { event, ...decided, window, series, sources, gaps };
}

const REGIME: SeriesKey = { definition: REGIME_SERIES, key: 'global' };

/** Points as observed. Undefined if the version has no such history. */
async function pointsOf(
  { series }: Services,
  { datasets }: Manifest,
  {
    seriesKey,
    window,
  }: { readonly seriesKey: SeriesKey; readonly window: { readonly from: number; readonly to: number } },
) {
  const { definition, key } = seriesKey;
  const { dataset, grain } = definition;
  const entry = Object.hasOwn(datasets, dataset) ? datasets[dataset] : undefined;
  if (entry === undefined) return undefined;
  const resolution = grain === 'daily' ? '1d' : 'raw';
  const wanted = { dataset, entry, key, columns: Object.keys(definition.columns) };
  const { t, columns, gaps, pointsBefore } = await readSeries(series, wanted, { resolution, ...window });
  return { t, columns, gaps, resolution, is_thinned: t.length < pointsBefore };
}
