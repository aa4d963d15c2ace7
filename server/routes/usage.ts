// What an organisation has used of its plan (decision 40).
import { IsoTime, Strict, Type } from '../../schemas/define.ts';
import { PLANS, type PlanName, SCOPES } from '../../schemas/plans.ts';
import { keyOf } from '../access/authorize.ts';
import { defineEndpoint } from '../define/endpoint.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const getUsage = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Plan, scopes and limits of the key, and the usage of its organisation',
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
        limit: Count('Requests a minute'),
        remaining: Count('Requests left in this minute'),
        resets_at: IsoTime('When the minute ends'),
      }),
      month: Strict({
        requests: Count('Requests of the organisation this UTC month'),
        resets_at: IsoTime('When the next month begins'),
      }),
      limits: Strict({
        replay_window_days: Count('Days that replay goes back'),
        stream_connections: Count('Open streams at once'),
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
      month: { requests, resets_at: isoOf(services.usage.monthEndMs(services.nowMs())) },
      limits,
    };
    return { payload };
  },
});

const isoOf = (unixMs: number): string => new Date(unixMs).toISOString();
