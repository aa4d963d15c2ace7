// The response times of the service: percentiles over the requests of all callers, by day.
import { Nullable, percentileProperties, Strict, Type } from '../../schemas/define.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { daysParameter } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { formatParameter, formOf, NEGOTIATED, tableReply } from '../series/series-forms.ts';
import { percentilesOf, SERVICE } from '../store/latency-buckets.ts';

const LatencyDay = Strict({
  day: Type.String({ format: 'date', description: 'UTC day; today is incomplete' }),
  ...percentileProperties('requests'),
});

export const getLatency = defineEndpoint({
  method: 'GET',
  path: '/v1/status/latency',
  tag: TAGS.operations,
  summary: 'Response times on each UTC day, as percentiles over the requests of all callers',
  access: 'open',
  isBrowsed: true,
  ...NEGOTIATED,
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({ days: daysParameter(LIMITS.usage_days), format: formatParameter('days') }),
  response: Strict({
    data: Type.Array(LatencyDay, { description: 'Oldest first, starting with the first measured day' }),
    meta: Strict({
      measured_since: Nullable(
        Type.String({ format: 'date', description: 'First measured day; null if there is none yet' }),
      ),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query, accept }, services) {
    const form = formOf({ format: query.format, accept });
    const asked = { nowMs: services.nowMs(), count: query.days ?? LIMITS.usage_days.default };
    const { since, days } = await services.usage.daysOf(SERVICE, asked);
    const payload = days.map(({ day, took }) => ({ day, ...percentilesOf(took) }));
    if (form !== 'json') return tableReply(form, { name: 'latency', row: LatencyDay, rows: payload });
    return { payload, meta: { measured_since: since } };
  },
});
