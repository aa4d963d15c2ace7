// The simulator: preset scenarios, and runs over the caller's positions (decision 54).
import { Strict, Type } from '../../schemas/define.ts';
import { SCENARIOS, type Scenario, ScenarioSchema } from '../../schemas/scenarios.ts';
import { SimulationSchema } from '../../schemas/simulator.ts';
import { SimulatorRequestSchema } from '../../schemas/simulator-request.ts';
import { runSimulator } from '../analytics/simulator/run.ts';
import { scenarioOf } from '../analytics/simulator/simulation-spec.ts';
import type { AccessRule } from '../define/caller.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';

const access: AccessRule = { plan: 'team', scope: 'simulator:run', denial: 'SIMULATOR_TIER_REQUIRED' };

const summaryOf = ({ shocks, ...scenario }: Scenario) => ({ ...scenario, shocks: shocks.length });

export const listScenarios = defineEndpoint({
  method: 'GET',
  path: '/v2/simulator/scenarios',
  tag: TAGS.simulations,
  summary: 'Preset scenarios of the simulator',
  access,
  quota: 'simulator',
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({}),
  response: Strict({
    data: Type.Array(
      Strict({
        ...ScenarioSchema.properties,
        shocks: Type.Integer({ minimum: 1, description: 'Number of shocks' }),
      }),
    ),
    meta: Strict({}),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'internal_error'],
  handle: async ({ caller }, { analytics }) => ({
    payload: SCENARIOS.map(summaryOf),
    headers: await analytics.runs.headersFor(caller, 'simulator'),
  }),
});

export const getScenario = defineEndpoint({
  method: 'GET',
  path: '/v2/simulator/scenarios/:id',
  tag: TAGS.simulations,
  summary: 'One preset scenario with its shocks, its sources and what actually happened',
  access,
  quota: 'simulator',
  envelope: 'v2',
  cache: 'none',
  params: Strict({ id: Type.String({ description: 'Id of the scenario', examples: ['usdc_2023'] }) }),
  query: Strict({}),
  response: Strict({ data: ScenarioSchema, meta: Strict({}), error: Type.Null() }),
  errors: ['invalid_request', 'SIMULATOR_SCENARIO_NOT_FOUND', 'internal_error'],
  handle: async ({ params, caller }, { analytics }) => ({
    payload: scenarioOf(params.id),
    headers: await analytics.runs.headersFor(caller, 'simulator'),
  }),
});

export const runScenario = defineEndpoint({
  method: 'POST',
  path: '/v2/simulator/run',
  tag: TAGS.simulations,
  summary:
    'Simulate shocks hour by hour: what positions are worth afterwards, and why. Free liquidity and uncovered debts are shared pro rata by all in a market, unless `first_to_leave` is assumed',
  access,
  quota: 'simulator',
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({}),
  body: SimulatorRequestSchema,
  response: Strict({ data: SimulationSchema, meta: Strict({}), error: Type.Null() }),
  errors: [
    'invalid_request',
    'validation_failed',
    'SIMULATOR_SCENARIO_NOT_FOUND',
    'SIMULATOR_MONTHLY_QUOTA_EXCEEDED',
    'unavailable',
    'internal_error',
  ],
  handle: (input, services) => runSimulator(input, services),
});
