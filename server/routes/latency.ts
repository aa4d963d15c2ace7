// How fast the service was: percentiles over the requests of all callers, by day.
import { Nullable, Strict, Type } from '../../schemas/define.ts';
import { percentileProperties } from '../../schemas/latency.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { daysParameter } from '../define/days-parameter.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { percentilesOf, SERVICE } from '../define/latency.ts';
import { TAGS } from '../define/tags.ts';

export const getLatency = defineEndpoint({
  method: 'GET',
  path: '/v1/status/latency',
  tag: TAGS.operations,
  summary: 'How long the service took for requests on each UTC day, as percentiles over all callers',
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({ days: daysParameter(LIMITS.usage_days) }),
  response: Strict({
    data: Type.Array(
      Strict({
        day: Type.String({ format: 'date', description: 'UTC day; today is not over' }),
        ...percentileProperties('requests'),
      }),
      { description: 'Oldest first, from the first day that was measured' },
    ),
    meta: Strict({
      measured_since: Nullable(
        Type.String({ format: 'date', description: 'First day that was measured; null before it' }),
      ),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const asked = { nowMs: services.nowMs(), count: query.days ?? LIMITS.usage_days.default };
    const { since, days } = await services.usage.daysOf(SERVICE, asked);
    return {
      payload: days.map(({ day, took }) => ({ day, ...percentilesOf(took) })),
      meta: { measured_since: since },
    };
  },
});
