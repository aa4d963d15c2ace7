// The state of the service itself (decision 40). Plain objects, never cached.
import { Nullable, Strict, Type } from '../../schemas/define.ts';
import { SCHEMA_VERSION } from '../../schemas/envelopes.ts';
import { FreshnessSchema, isSimulated, isUnsourced, QualityGateSchema } from '../../schemas/provenance.ts';
import {
  DATASET_STATES,
  FamilyStatusSchema,
  SERVICE_STATUSES,
  StatusReasonSchema,
  OpenConditionsSchema,
} from '../../schemas/service-status.ts';
import { type SourceReading, SourceReadingSchema } from '../../schemas/sources.ts';
import { type DatasetEntry, datasetsAsOf } from '../../snapshots/layout.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { currentVersion } from '../define/missing-data.ts';
import { asOfParameter } from '../define/parameters.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';
import { CONDITIONS } from '../replies/condition-inputs.ts';
import { SOURCE_READINGS, sourceReadings } from '../replies/source-readings.ts';
import { servicesThen, verdictOf } from '../replies/verdict.ts';

const plain = {
  method: 'GET',
  access: 'open',
  envelope: 'plain',
  cache: 'none',
  params: Strict({}),
  query: Strict({}),
} as const;

export const getHealth = defineEndpoint({
  ...plain,
  isUncounted: true,
  path: '/v1/health',
  tag: TAGS.operations,
  summary: 'Whether the process responds',
  response: Strict({ status: Type.Literal('ok') }),
  errors: ['invalid_request'],
  handle: () => ({ payload: { status: 'ok' } }),
});

export const getReady = defineEndpoint({
  ...plain,
  isUncounted: true,
  path: '/v1/ready',
  tag: TAGS.operations,
  summary: 'Whether the process accepts requests: data is loaded and it is not stopping',
  response: Strict({ status: Type.Literal('ready'), version: Type.String() }),
  errors: ['invalid_request', 'unavailable'],
  handle(_, services) {
    if (services.operations.isStopping) throw new Failure('unavailable', 'The server is stopping.');
    return { payload: { status: 'ready', version: currentVersion(services).version } };
  },
});

const DatasetStatus = Strict({
  state: Type.Enum([...DATASET_STATES], {
    description: '`held_back`: the rows of an earlier version. `no_source`: no source is configured for it',
  }),
  freshness: FreshnessSchema,
  documents: Type.Integer(),
  quality_gate: QualityGateSchema.properties.verdict,
});

const { id, state, reason, setting, is_overdue, last_read_at, read_through_at, next_try_at } =
  SourceReadingSchema.properties;

export const getStatus = defineEndpoint({
  ...plain,
  path: '/v1/status',
  isBrowsed: true,
  tag: TAGS.operations,
  datasets: [SOURCE_READINGS],
  summary:
    'Whether everything configured is read, accepted and published; what can be judged and what cannot, and why',
  query: Strict({ as_of: asOfParameter }),
  response: Strict({
    status: Type.Enum([...SERVICE_STATUSES], {
      description:
        '`ok`: every configured source is read, accepted and published, and the publisher is at work. `degraded`: not, see `reasons`. `unavailable`: no published version can be read. `empty`: nothing has been published yet',
    }),
    headline: Type.String({
      description:
        'What to show first: how many conditions are open by severity, or that this is not known, and then the summary',
    }),
    open_conditions: Nullable({
      ...OpenConditionsSchema,
      description:
        'Open conditions by severity; null if they are held back, not published or cannot be read, so that it is unknown how many are open',
    }),
    summary: Type.String({
      description: 'The verdict as a sentence: what can be judged, and what is missing',
    }),
    reasons: Type.Array(StatusReasonSchema, { description: 'Why the status is not `ok`; empty if it is' }),
    families: Type.Array(FamilyStatusSchema, { description: 'What can be judged of each family of data' }),
    is_simulated: Type.Boolean({ description: 'Whether any of the data is simulated, as in the demo' }),
    version: Nullable(Type.String()),
    as_of: Nullable(Type.String()),
    generated_at: Nullable(Type.String()),
    age_seconds: Nullable(Type.Integer()),
    datasets: Type.Record(Type.String(), DatasetStatus),
    events: Strict({
      published: Type.Integer(),
      indexed: Type.Integer(),
      last_event_id: Nullable(Type.String()),
    }),
    sources: Type.Array(
      Strict({ id, state, reason, setting, is_overdue, last_read_at, read_through_at, next_try_at }),
      {
        description:
          'Fetched sources: how far each has been read, and what is missing; empty if nothing is fetched',
      },
    ),
    notices: Type.Array(Strict({ at: Type.String(), message: Type.String() }), {
      description: 'Problems of this server; empty with `as_of`',
    }),
    uptime_seconds: Type.Integer(),
  }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ query: { as_of } }, services) =>
    as_of === undefined
      ? { payload: statusOf(services, services.nowMs()) }
      : servicesThen(services, { as_of }, [SOURCE_READINGS, CONDITIONS]).then((then) => ({
          payload: statusOf(then, services.nowMs()),
        })),
});

/** `liveMs`: the present, to which the time of this process counts. */
function statusOf(services: Services, liveMs: number): object {
  const { operations, versions, replay } = services;
  const nowMs = services.nowMs();
  const manifest = versions.current?.manifest;
  const asOf = manifest && datasetsAsOf(manifest);
  const entries = Object.entries(manifest?.datasets ?? {});
  return {
    ...verdictOf(services),
    is_simulated: entries.some(([, { sources }]) => sources.some(isSimulated)),
    version: manifest?.version ?? null,
    as_of: asOf ?? null,
    generated_at: manifest?.generated_at ?? null,
    age_seconds: asOf === undefined ? null : Math.max(0, Math.floor((nowMs - Date.parse(asOf)) / 1000)),
    datasets: Object.fromEntries(entries.map(([id, entry]) => [id, datasetStatus(entry, services)])),
    events: {
      published: manifest?.events.count ?? 0,
      indexed: versions.asOfVersion === undefined ? replay.count : (manifest?.events.count ?? 0),
      last_event_id: manifest?.events.last_event_id ?? null,
    },
    sources: sourceReadings(versions.current).map(sourceStatus),
    notices: operations.notices.map(({ at, message }) => ({ at, message })),
    uptime_seconds: Math.floor((liveMs - operations.startedMs) / 1000),
  };
}

const sourceStatus = (source: SourceReading) => ({
  id: source.id,
  state: source.state,
  reason: source.reason,
  setting: source.setting,
  is_overdue: source.is_overdue,
  last_read_at: source.last_read_at,
  read_through_at: source.read_through_at,
  next_try_at: source.next_try_at,
});

const datasetStatus = (entry: DatasetEntry, services: Services) => ({
  state: stateOf(entry),
  freshness: services.freshness(entry),
  documents: entry.documents,
  quality_gate: entry.quality_gate.verdict,
});

function stateOf(entry: DatasetEntry): (typeof DATASET_STATES)[number] {
  if (isUnsourced(entry)) return 'no_source';
  return entry.quality_gate.verdict === 'fail' ? 'held_back' : 'published';
}

export const getVersion = defineEndpoint({
  ...plain,
  path: '/v1/version',
  tag: TAGS.operations,
  summary: 'Versions of the program, the envelope, the methodology and the data',
  response: Strict({
    service: Type.String(),
    schema_version: Type.String(),
    snapshot_version: Nullable(Type.String()),
    engine_version: Nullable(Type.String()),
    methodology_version: Nullable(Type.String()),
    policy_version: Nullable(Type.String()),
  }),
  errors: ['invalid_request', 'internal_error'],
  handle(_, { operations, versions }) {
    const manifest = versions.current?.manifest;
    const payload = {
      service: operations.serviceVersion,
      schema_version: SCHEMA_VERSION,
      snapshot_version: manifest?.version ?? null,
      engine_version: manifest?.engine_version ?? null,
      methodology_version: manifest?.methodology_version ?? null,
      policy_version: manifest?.policy_version ?? null,
    };
    return { payload };
  },
});
