// What an organisation has used of its plan (decision 40).
import { IsoTime, Nullable, percentileProperties, Strict, Type } from '../../schemas/define.ts';
import { LIMITS, PLANS, type PlanName, SCOPES } from '../../schemas/plans.ts';
import { keyOf } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { daysParameter } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { formatParameter, formOf, NEGOTIATED, tableReply } from '../series/series-forms.ts';
import type { Services } from '../services.ts';
import { percentilesOf } from '../store/latency-buckets.ts';
import type { RunKind } from '../store/store.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Runs = (what: string) =>
  Strict({ used: Count(`${what} runs charged this month`), limit: Count('Runs per month') }, `${what} runs`);

export const getUsage = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  tag: TAGS.operations,
  summary: 'Plan, scopes and limits of the key, and usage of its organisation',
  access: { plan: 'free', scope: 'usage:read' },
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({}),
  response: Strict({
    data: Strict({
      org: Type.String(),
      key_id: Type.String(),
      plan: Type.Enum(Object.keys(PLANS) as PlanName[]),
      scopes: Type.Array(Type.Enum([...SCOPES])),
      rate_limit: Strict({
        limit: Count('Requests per minute'),
        remaining: Count('Requests left in this minute'),
        resets_at: IsoTime('When the minute ends'),
      }),
      month: Strict({
        requests: Count('Requests of the organisation in this UTC month'),
        monte_carlo_runs: Runs('Exit Monte Carlo'),
        simulator_runs: Runs('Simulator'),
        resets_at: IsoTime('When the next month begins'),
      }),
      limits: Strict({
        replay_window_days: Count('Days of replay'),
        stream_connections: Count('Concurrent streams'),
        webhook_subscriptions: Count('Webhook subscriptions'),
      }),
    }),
    meta: Strict({}),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ caller }, services) {
    const { id, org, scopes } = keyOf(caller);
    const { requests_per_minute, replay_window_days, stream_connections, webhook_subscriptions } =
      caller.limits;
    const limits = { replay_window_days, stream_connections, webhook_subscriptions };
    const rate = services.rateOf(caller);
    const requests = await services.usage.requestsOf(org, services.nowMs());
    const payload = {
      org,
      key_id: id,
      plan: caller.plan,
      scopes,
      rate_limit: {
        limit: requests_per_minute,
        remaining: rate.remaining,
        resets_at: isoOf(services.nowMs() + rate.resetMs),
      },
      month: {
        requests,
        ...(await runsOf(caller, services)),
        resets_at: isoOf(services.usage.monthEndMs(services.nowMs())),
      },
      limits,
    };
    return { payload };
  },
});

const UsageDay = Strict({
  day: Type.String({ format: 'date', description: 'UTC day; today is incomplete' }),
  requests: Count('Requests'),
  errors: Count('Requests with a status of 400 or above'),
  ...percentileProperties('requests'),
});

export const getUsageHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/usage/history',
  tag: TAGS.operations,
  summary: 'Requests of the organisation by UTC day: count, errors and response times',
  access: { plan: 'free', scope: 'usage:read' },
  ...NEGOTIATED,
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({ days: daysParameter(LIMITS.usage_days), format: formatParameter('days') }),
  response: Strict({
    data: Type.Array(UsageDay, {
      description: 'Oldest first, starting with the first counted day; a day without requests has zeros',
    }),
    meta: Strict({
      counted_since: Nullable(
        Type.String({
          format: 'date',
          description: 'First counted day; null before the first request',
        }),
      ),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ caller, query, accept }, services) {
    const form = formOf({ format: query.format, accept });
    const asked = { nowMs: services.nowMs(), count: query.days ?? LIMITS.usage_days.default };
    const { since, days } = await services.usage.daysOf(keyOf(caller).org, asked);
    const payload = days.map(({ took, ...day }) => ({ ...day, ...percentilesOf(took) }));
    if (form !== 'json') return tableReply(form, { name: 'usage-history', row: UsageDay, rows: payload });
    return { payload, meta: { counted_since: since } };
  },
});

async function runsOf(caller: Caller, { analytics }: Services) {
  const state = async (kind: RunKind) => {
    const { used, limit } = await analytics.runs.stateOf(caller, kind);
    return { used, limit };
  };
  return { monte_carlo_runs: await state('monte_carlo'), simulator_runs: await state('simulator') };
}

const isoOf = (unixMs: number): string => new Date(unixMs).toISOString();
