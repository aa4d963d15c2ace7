// Simulates the effect of every preset scenario on a position:
// `npm run simulate -- --key rk_live_… [--market ethereum:0x…] [--amount 100000]`. Without a market, the position is a loan.

import type { Simulation, SimulatorRequest } from '../../packages/client/src/api-types.ts';
import { ApiError, Client } from '../../packages/client/src/client.ts';
import { readOptions } from '../read-options.ts';

type Position = SimulatorRequest['positions'][number];

const { values } = readOptions(
  'npm run simulate -- --key KEY [--base-url URL] [--market ethereum:0x…] [--amount USD]',
  {
    options: {
      'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string' },
      market: { type: 'string' },
      amount: { type: 'string', default: '100000' },
    },
  },
);

/** A supply position in a market, or a loan of seven tenths of its collateral. */
function positionOf(market: string | undefined, amount_usd: number): Position {
  if (market !== undefined) return { kind: 'supply', market, amount_usd };
  const terms = { liquidation_threshold: 0.83, liquidation_bonus: 0.05, protocol_fee: 0.1 };
  return {
    kind: 'borrow',
    rules: 'aave-v3.3',
    collateral: [{ asset: 'ETH', amount_usd, ...terms }],
    debt: [{ asset: 'USDC', amount_usd: 0.7 * amount_usd }],
  };
}

async function show(client: Client, position: Position): Promise<void> {
  const scenarios = await client.get('/v2/simulator/scenarios');
  for (const { id, title } of scenarios.data) {
    const body = { scenario_id: id, positions: [position] };
    const { data } = await client.post('/v2/simulator/run', { body });
    console.info(`${title}\n  ${lossOf(data)}`);
    for (const { type, hour, subject_id } of data.events_that_would_fire ?? [])
      console.info(`  hour ${hour}: ${type} ${subject_id}`);
    // Unknowns are listed by name; no figure stands in for them.
    for (const { gap, subject } of data.gaps) console.info(`  unknown: ${gap} ${subject ?? ''}`.trimEnd());
  }
}

function lossOf({ positions: [position] }: Simulation): string {
  if (position === undefined || position.after === null || position.loss_usd === null)
    return 'loss: not known';
  const causes = Object.entries(position.attribution ?? {}).filter(([, usd]) => usd !== null && usd !== 0);
  const parts = causes.map(([cause, usd]) => `${cause} ${usd}`);
  return `loss: ${position.loss_usd} USD${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

try {
  const client = new Client({ baseUrl: values['base-url'], key: values.key });
  await show(client, positionOf(values.market, Number(values.amount)));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
