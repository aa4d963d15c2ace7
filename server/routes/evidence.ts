// The evidence for an event: its rules, and the published points of its subject around its time. Read from published files; nothing is
// computed.

import { ownMember } from '../../platform/base/own-member.ts';
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import { traceIdOf } from '../../platform/base/ulid.ts';
import { Strict, Type } from '../../schemas/define.ts';
import type { RiskEvent } from '../../schemas/event.ts';
import { type CourseEvent, EvidenceSchema } from '../../schemas/evidence.ts';
import { LENDING_SERIES } from '../../schemas/lending.ts';
import { ORACLE_PATH_SERIES } from '../../schemas/oracle-paths.ts';
import { FEED_SERIES, PEG_SERIES } from '../../schemas/oracle-series.ts';
import { REGIME_SERIES } from '../../schemas/regime.ts';
import { columnsAt, type Resolution, type SeriesDefinition } from '../../schemas/series.ts';
import { VAULT_SERIES } from '../../schemas/vaults.ts';
import { YIELD_SERIES } from '../../schemas/yields.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { asOfParameter } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { type LogView, viewOf, visibleEvent } from '../replies/event-log-view.ts';
import { rulesOfEvent, rulesWithMeaning } from '../replies/rule-meanings.ts';
import { storyOf } from '../replies/story/event-story.ts';
import { factsOfEvent } from '../replies/story/facts-of-event.ts';
import type { StoryFacts } from '../replies/story/story-facts.ts';
import { secondsOf } from '../replies/story/story-text.ts';
import { namesOfKeys } from '../replies/subject-names.ts';
import { readSeries, type SeriesReading } from '../series/read-series.ts';
import type { Services } from '../services.ts';

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
  vault: ([chain, address]) => ({ definition: VAULT_SERIES, key: `${chain}|${address}` }),
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
    const event = JSON.parse(bytes.toString()) as RiskEvent;
    return { payload: await evidenceOf(services, manifest, { event, caller, view }), isPrivate: true };
  },
});

interface EvidenceRequest {
  readonly event: RiskEvent;
  readonly caller: Caller;
  readonly view: LogView;
}

const REGIME: SeriesKey = { definition: REGIME_SERIES, key: 'global' };

/**
 * Points as observed, hours around an open event, are its proof and shown to all; those of a dataset that needs a plan or a scope are not
 * (decision 72).
 */
async function evidenceOf(services: Services, manifest: Manifest, request: EvidenceRequest): Promise<object> {
  const { event, caller, view } = request;
  const { gaps: unknown, ...decided } = await rulesOfEvent(services, event);
  const facts = await factsOfEvent(services, { event, view, manifest, rules: decided.rules });
  const seriesKey = seriesKeyOf(event, facts.course.start);
  const second = Date.parse(event.ts) / 1_000;
  const reach = REACH[seriesKey?.definition.grain ?? 'observed'];
  const window = { from: Math.max(0, Math.floor(second) - reach), to: Math.ceil(second) + reach };
  const isReadable = ({ dataset }: SeriesDefinition) => isAuthorized(services.datasetAccess(dataset), caller);
  const isOwnReadable = seriesKey === undefined || isReadable(seriesKey.definition);
  const wanted =
    seriesKey === undefined || !isOwnReadable
      ? []
      : [
          { ...seriesKey, ...window, resolution: resolutionOf(seriesKey) },
          ...wholeCourse(seriesKey, facts, { window, now: Date.parse(manifest.as_of) / 1_000 }),
          ...(isReadable(FEED_SERIES)
            ? sourceKeys(event).map((one) => ({ ...one, ...window, resolution: 'raw' as const }))
            : []),
        ];
  const series = await seriesOf(services, manifest, wanted);
  const entry = seriesKey && manifest.datasets[seriesKey.definition.dataset];
  const gaps = [...unknown, ...gapsOf(seriesKey, isOwnReadable, series)];
  const rules = rulesWithMeaning(decided.rules, facts);
  const story = storyOf({ ...facts, answered_at: answeredAt(event, series[0]) });
  return {
    event,
    trace_id: traceIdOf(event.event_id),
    story,
    course: relatedTo(facts),
    ...decided,
    rules,
    window,
    series,
    sources: entry?.sources ?? [],
    gaps,
  };
}

/** The market with the most debt of those that an event about oracles names. */
function oracleKeyOf({ chain, data }: RiskEvent): SeriesKey | undefined {
  const first: unknown = Array.isArray(data['markets']) ? data['markets'][0] : undefined;
  const market =
    typeof first === 'object' && first !== null && 'market_id' in first ? first.market_id : undefined;
  return typeof market === 'string'
    ? { definition: ORACLE_PATH_SERIES, key: `${chain}:${market}` }
    : undefined;
}

/** The end of a broken assumption does not repeat the markets of its start. */
function seriesKeyOf(event: RiskEvent, start: RiskEvent | null): SeriesKey | undefined {
  const { type, subject_id } = event;
  if (type.startsWith('oracle.assumption.') || type === 'oracle.path.changed')
    return oracleKeyOf(event) ?? (start === null ? undefined : oracleKeyOf(start));
  const [resource = '', ...parts] = subject_id.split(':');
  return type === 'regime.shift' ? REGIME : ownMember(SERIES_KEYS, resource)?.(parts);
}

const resolutionOf = ({ definition }: SeriesKey): Resolution => (definition.grain === 'daily' ? '1d' : 'raw');

function gapsOf(
  seriesKey: SeriesKey | undefined,
  isReadable: boolean,
  [main]: readonly { readonly t: readonly number[] }[],
): readonly string[] {
  if (seriesKey === undefined)
    return ['the event itself is the only record: no history of its subject is published'];
  if (!isReadable)
    return [`the points of its subject need what ${seriesKey.definition.dataset} needs: a plan and a scope`];
  return main === undefined || main.t.length === 0
    ? ['no points of its subject are published for that time']
    : [];
}

/** From before the start until the end, or until now while it lasts, by the hour; nothing if the window around the event contains it. */
function wholeCourse(
  { definition, key }: SeriesKey,
  { event, course, condition }: StoryFacts,
  {
    window,
    now,
  }: {
    readonly window: { readonly from: number; readonly to: number };
    /** Time of the version, Unix seconds. */
    readonly now: number;
  },
): readonly SeriesRequest[] {
  if (definition.grain === 'daily') return [];
  const start = secondsOf((course.start ?? event).ts);
  const last = course.recovery ?? course.end;
  const end = last === null ? (condition ? now : secondsOf(event.ts)) : secondsOf(last.ts);
  const [from, to] = [start - REACH.observed, Math.min(now, end + REACH.observed)];
  if (from >= window.from && to <= window.to) return [];
  return [{ definition, key, from: Math.max(0, Math.floor(from)), to: Math.ceil(to), resolution: '1h' }];
}

/** At most as many sources as a picture can tell apart. */
const MAX_SOURCES = 6;

/** The feeds that price a pegged asset, as its event lists them. */
function sourceKeys({ subject_id, data }: RiskEvent): readonly SeriesKey[] {
  const [resource, chain] = subject_id.split(':');
  const { sources } = data;
  if (resource !== 'peg' || !Array.isArray(sources)) return [];
  return sources.slice(0, MAX_SOURCES).flatMap((source: { oracle_address?: unknown } | null) => {
    const address = source?.oracle_address;
    return typeof address === 'string' ? [{ definition: FEED_SERIES, key: `${chain}|${address}` }] : [];
  });
}

interface SeriesRequest extends SeriesKey {
  readonly from: number;
  readonly to: number;
  readonly resolution: Resolution;
}

/** Those that the version publishes, with the names of feeds. */
async function seriesOf(services: Services, manifest: Manifest, wanted: readonly SeriesRequest[]) {
  const found = await Promise.all(wanted.map((one) => pointsOf(services, manifest, one)));
  const feeds = wanted.filter(({ definition }) => definition === FEED_SERIES);
  const names = await namesOfKeys(
    services,
    feeds.map(({ key }) => [key, key]),
    manifest,
  );
  return wanted.flatMap(({ definition, key }, index) => {
    const points = found[index];
    return points === undefined
      ? []
      : [{ dataset: definition.dataset, key, name: names[key] ?? null, ...points }];
  });
}

async function pointsOf(
  { series }: Services,
  { datasets }: Manifest,
  { definition, key, resolution, from, to }: SeriesRequest,
) {
  const { dataset } = definition;
  const entry = Object.hasOwn(datasets, dataset) ? datasets[dataset] : undefined;
  if (entry === undefined) return undefined;
  const wanted = { dataset, entry, key, columns: Object.keys(columnsAt(definition, resolution)) };
  const { t, columns, gaps, pointsBefore } = await readSeries(series, wanted, { resolution, from, to });
  return { t, columns, gaps, resolution, is_thinned: t.length < pointsBefore };
}

/** The next valid answer of a feed that was late. */
function answeredAt(
  { type, ts }: RiskEvent,
  feed: Pick<SeriesReading, 't' | 'columns'> | undefined,
): number | null {
  if (type !== 'oracle.stale' || feed === undefined) return null;
  const index = feed.t.findIndex(
    (time, at) => time > secondsOf(ts) && feed.columns['is_valid']?.[at] === true,
  );
  return feed.t[index] ?? null;
}

/** The other events of the same fact, by time. */
function relatedTo({ event, course, retraction, retracted }: StoryFacts): readonly CourseEvent[] {
  const all: readonly (readonly [CourseEvent['role'], RiskEvent | null])[] = [
    ['start', course.start],
    ...course.escalations.map((one) => ['escalation', one] as const),
    ['end', course.end],
    ['recovery', course.recovery],
    ['retraction', retraction],
    ['retracted', retracted],
  ];
  return all
    .flatMap(([role, one]) =>
      one === null || one.event_id === event.event_id
        ? []
        : [{ role, event_id: one.event_id, type: one.type, severity: one.severity ?? null, ts: one.ts }],
    )
    .sort((a, b) => secondsOf(a.ts) - secondsOf(b.ts));
}
