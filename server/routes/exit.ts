// Whether a position can exit a lending market or a vault, when, and at what cost (4.24; decisions 53, 55, 67-69). The simulation is in
// models/exit.ts.
import { Strict, Type } from '../../schemas/define.ts';
import { ExitRequestSchema, ExitResultSchema } from '../../schemas/exit.ts';
import { RUN_PLAN, TIER_REQUIRED } from '../analytics/charged-runs.ts';
import { runExit } from '../analytics/exit/run-exit.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';

const PATH = '/v2/liquidity/:id/exit-monte-carlo';

export const simulateExit = defineEndpoint({
  method: 'POST',
  path: PATH,
  tag: TAGS.simulations,
  summary:
    'Simulate the exit of a position from a lending market or a vault: probability, time, slippage, loss',
  access: { plan: RUN_PLAN, scope: 'liquidity:simulate', denial: TIER_REQUIRED.monte_carlo },
  quota: 'monte_carlo',
  envelope: 'v2',
  cache: 'none',
  params: Strict({
    id: Type.String({
      description:
        '`<chain>:<market_id>`, percent-encoded, as in the dataset `exit-inputs`, or `vault:<chain>:<address>`',
      examples: ['ethereum:0x6c6c5b8d4f750e0d0dd624790eb7176f1e8ceb3f476dadea6c76df287870795a'],
    }),
  }),
  query: Strict({}),
  body: ExitRequestSchema,
  response: Strict({ data: ExitResultSchema, meta: Strict({}), error: Type.Null() }),
  errors: [
    'invalid_request',
    'validation_failed',
    'not_found',
    'MC_MONTHLY_QUOTA_EXCEEDED',
    'risk_dependency_unavailable',
    'unavailable',
    'internal_error',
  ],
  handle: ({ params, body, caller, commit }, services) =>
    runExit({ endpoint: PATH, id: params.id, body, caller, commit }, services),
});
