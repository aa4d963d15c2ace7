// Published inputs of a few lending markets, and requests for exits from them.
import { expect } from 'vitest';
import type { ReturnInputs } from '../../../schemas/analytics.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { marketInputs, returnInputs } from '../../support/analytics-inputs.ts';
import { AS_OF, datasetOf, fixtureDatasets } from '../server-fixture.ts';

export const ID = 'ethereum:0xm1';
export const MONTH_END_S = Date.parse('2026-04-01T00:00:00Z') / 1_000;
/** More than can be withdrawn at once, and less than can usually be withdrawn within a day. */
export const POSITION = Math.round((marketInputs().withdrawable_usd ?? 0) * 110) / 100;
const unknownAsset = (id: string, depth_usd: number | null) =>
  marketInputs({ more: { id, loan_symbol: 'NOPE', depth_usd } });

const markets = () => [
  marketInputs(),
  marketInputs({ hours: 2, more: { id: 'ethereum:0xshort' } }),
  marketInputs({ hours: 500, more: { id: 'ethereum:0xthin' } }),
  unknownAsset('ethereum:0xunpriced', marketInputs().depth_usd),
  unknownAsset('ethereum:0xunsold', null),
  marketInputs({ more: { id: 'ethereum:0xblind', supplied_usd: null, withdrawable_usd: null } }),
  fullMarket(),
];

/** At 100 % utilisation in every known hour. */
function fullMarket() {
  const hours = { ...marketInputs().hours };
  const zeros = hours.hour.map(() => 0);
  const ones = hours.hour.map(() => 1);
  return marketInputs({
    more: {
      id: 'ethereum:0xfull',
      withdrawable_usd: 0,
      hours: { ...hours, flow: zeros, utilization: ones, withdrawable_usd: zeros },
    },
  });
}

export const inputs = (returns: ReturnInputs = returnInputs(), at = AS_OF): DatasetInput[] => [
  ...fixtureDatasets(at),
  datasetOf(
    'exit-inputs',
    markets().map((value) => ({ key: value.id, value })),
    at,
  ),
  datasetOf('return-inputs', [{ key: returns.symbol, value: returns }], at),
];

export const post = (server: RunningServer, key: string, body: unknown, { id = ID, headers = {} } = {}) =>
  fetch(`${server.url}/v2/liquidity/${encodeURIComponent(id)}/exit-monte-carlo`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

// biome-ignore lint/suspicious/noExplicitAny: the server of a test checks its responses against their schemas
type Json = any;

export const jsonOf = async (answer: Response): Promise<Json> => JSON.parse(await answer.text());
export const dataOf = async (answer: Response): Promise<Json> => {
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text).data;
};
export const gapsOf = (data: { gaps: { gap: string }[] }) => data.gaps.map(({ gap }) => gap);
