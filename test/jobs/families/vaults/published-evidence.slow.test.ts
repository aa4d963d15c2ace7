// What an event about vaults and their oracles says is what an outsider computes from published rows: the points in its evidence, and the
// delayed changes of the dataset. A vault lends to a market whose oracle is a constant; its collateral loses its price and recovers.
import { join } from 'node:path';
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbi, toBytes } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RiskEvent } from '../../../../schemas/event.ts';
import type { VaultChange } from '../../../../schemas/vaults.ts';
import type { RunningServer } from '../../../../server/deps.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';
import {
  BROKEN,
  CHAIN,
  DAY,
  feedTables,
  HOUR,
  hoursUntil,
  MARKET,
  market,
  marketTables,
  ONE,
  START,
  units,
  VAULT,
  vault,
} from './constant-oracle.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const FELL = BROKEN - 12 * HOUR;
const RESTORED = BROKEN + 3 * HOUR;
const CHANGED = BROKEN + 5 * HOUR;
const NOW = BROKEN + 8 * HOUR;
const [FIRST_ORACLE, SECOND_ORACLE] = [`0x${'cc'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
const [DEBT, COLLATERAL, LLTV, PRICE] = [700_000, 780_000, 0.915, 0.2];
const OWN = DEBT * 0.4;

const hours = hoursUntil(NOW);
const backed = (at: number): number => (at < FELL ? OWN : OWN * 0.995);

const CALLS = parseAbi(['function addAdapter(address account)']);
const callOf = (digit: string): Hex =>
  encodeFunctionData({ abi: CALLS, functionName: 'addAdapter', args: [`0x${digit.repeat(40)}`] });
const topicOf = (declaration: string): Hex => keccak256(toBytes(declaration));
const selectorTopic = (data: Hex): string => data.slice(0, 10).padEnd(66, '0');

function logRow(at: number, log: { readonly topics: readonly string[]; readonly data: string }) {
  const [topic0 = '', topic1 = null, topic2 = null] = log.topics;
  const hash = `0x${at.toString(16).padStart(64, '0')}`;
  return {
    ...{
      chain: CHAIN,
      vault_address: VAULT,
      block_number: at - START,
      block_hash: hash,
      block_timestamp: at,
    },
    ...{ tx_hash: hash, log_index: 0, topic0, topic1, topic2, data: log.data },
  };
}
const submit = (at: number, data: Hex, executableAt: number) =>
  logRow(at, {
    topics: [topicOf('Submit(bytes4,bytes,uint256)'), selectorTopic(data)],
    data: encodeAbiParameters([{ type: 'bytes' }, { type: 'uint256' }], [data, BigInt(executableAt)]),
  });
const accept = (at: number, data: Hex) =>
  logRow(at, {
    topics: [topicOf('Accept(bytes4,bytes)'), selectorTopic(data)],
    data: encodeAbiParameters([{ type: 'bytes' }], [data]),
  });
const revoke = (at: number, data: Hex) =>
  logRow(at, {
    topics: [
      topicOf('Revoke(address,bytes4,bytes)'),
      `0x${'9'.repeat(40).padStart(64, '0')}`,
      selectorTopic(data),
    ],
    data: encodeAbiParameters([{ type: 'bytes' }], [data]),
  });

const TABLES: Readonly<Record<string, readonly FileRow[]>> = {
  ...marketTables({ debt: DEBT, collateral: COLLATERAL, lltv: LLTV }, hours),
  ...feedTables([
    ...[BROKEN, BROKEN + 600].map((at) => [at, PRICE] as const),
    ...[RESTORED, RESTORED + 600].map((at) => [at, 1] as const),
  ]),
  oracle_price: hours.map((observed_at) => {
    const price = observed_at < CHANGED ? ONE : `105${'0'.repeat(34)}`;
    const oracle_address = observed_at < CHANGED ? FIRST_ORACLE : SECOND_ORACLE;
    return {
      ...{ ...market, oracle_address, observed_at, price, scale_factor: price, block_number: observed_at },
      ...{ loan_decimals: 6, collateral_decimals: 6, kind: 'meta', kind_by: 'factory', leg_count: 0 },
      ...{ base_factors: '1', quote_factors: '1' },
    };
  }),
  vault_state: hours.map((observed_at) => ({
    ...{ ...vault, observed_at, kind: 'morpho_v1_1', asset_decimals: 6 },
    ...{ share_decimals: 18, total_assets: units(OWN), real_assets: units(backed(observed_at)) },
    ...{ total_supply: `${units(OWN)}${'0'.repeat(12)}`, performance_fee: '0', position_count: 1 },
    ...{ asset_price_usd: 1, block_number: observed_at },
  })),
  vault_position: hours.map((observed_at) => ({
    ...{ ...vault, observed_at, held_kind: 'market', held: MARKET, queue_index: 0 },
    ...{ assets: units(backed(observed_at)), shares: units(OWN), market_supply: units(DEBT) },
    market_cash: units(OWN * 0.005),
  })),
  vault_log: [
    submit(START + HOUR, callOf('1'), START + HOUR + DAY),
    accept(START + 26 * HOUR, callOf('1')),
    submit(START + 2 * HOUR, callOf('2'), START + 2 * HOUR + DAY),
    revoke(START + 5 * HOUR, callOf('2')),
    submit(BROKEN, callOf('3'), BROKEN + 3 * DAY),
  ],
};

let world: FileWorld;
let fixture: ServerFixture;
let server: RunningServer;
let key: string;

beforeAll(async () => {
  const domains = neededFor({
    datasets: ['vaults', 'vault-changes', 'oracle-paths', 'event-rules'],
    events: ['oracle.assumption', 'oracle.path', 'vault.share_price', 'vault.liquidity', 'vault.change'],
  });
  world = openFileWorld({ domains });
  for (const [table, rows] of Object.entries(TABLES)) world.write(table, { 'all.ndjson': rows });
  expect(await world.run(NOW)).toBe(0);
  fixture = new ServerFixture(join(world.dir, 'snapshots'));
  fixture.nowMs = NOW * 1000;
  key = await fixture.key('team');
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(async () => {
  await fixture?.remove();
  world?.remove();
});

function eventOf(type: string): RiskEvent {
  const found = publishedEvents(world.dir).filter(({ value }) => value.type === type);
  expect(found, type).toHaveLength(1);
  return found[0]?.value as RiskEvent;
}

interface Evidence {
  readonly gaps: readonly string[];
  readonly series: readonly {
    readonly t: readonly number[];
    readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  }[];
}

/** The newest point up to a second in the evidence of an event, and those before and after it. */
async function pointsOf({ event_id }: RiskEvent, at: number) {
  const answer = await fetch(`${server.url}/v2/events/${event_id}/evidence`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const { data } = (await answer.json()) as { readonly data: Evidence };
  expect(data.gaps).toEqual([]);
  const [{ t, columns } = { t: [], columns: {} }] = data.series;
  const index = t.findLastIndex((one) => one <= at);
  expect(index, `a point at ${at}`).toBeGreaterThan(0);
  const point = (place: number) => (name: string) => Number(columns[name]?.[place]);
  return {
    now: point(index),
    nowAt: t[index],
    before: point(index - 1),
    beforeAt: t[index - 1],
    next: point(index + 1),
  };
}

const numberOf = ({ data }: RiskEvent, name: string): number => Number(data[name]);

test('a fall of a share price', async () => {
  const event = eventOf('vault.share_price.fell');
  const { now, nowAt, before, beforeAt } = await pointsOf(event, FELL);
  expect(nowAt).toBe(FELL);
  const [high, low] = [before('backed_share_price'), now('backed_share_price')];
  expect(event.data).toMatchObject({ previous_at: beforeAt, observed_at: FELL, block_number: FELL });
  expect(numberOf(event, 'price_before')).toBe(high);
  expect(numberOf(event, 'price_after')).toBe(low);
  expect(numberOf(event, 'quoted_after')).toBe(now('share_price'));
  expect(numberOf(event, 'fall_bps')).toBeCloseTo(10_000 * (1 - low / high), 5);
  expect(numberOf(event, 'loss_assets')).toBeCloseTo((high - low) * now('total_supply'), 5);
  expect(numberOf(event, 'loss_usd')).toBeCloseTo((high - low) * now('total_supply'), 2);
  expect(numberOf(event, 'coverage')).toBeCloseTo(now('coverage'), 12);
  expect(event.data['cause']).toBe('bad_debt_realised');
  expect(event.severity).toBe('high');
});

test('a vault that is short of liquidity', async () => {
  const event = eventOf('vault.liquidity.low');
  const at = Date.parse(event.ts) / 1000;
  const { now, before } = await pointsOf(event, at);
  for (const name of ['withdrawable_usd', 'withdrawable_shared_usd', 'total_assets_usd'])
    expect(numberOf(event, name), name).toBeCloseTo(now(name), 2);
  const [share, previous] = [now, before].map(
    (point) => point('withdrawable_usd') / point('total_assets_usd'),
  );
  expect(numberOf(event, 'share')).toBeCloseTo(share ?? Number.NaN, 8);
  for (const one of [share, previous]) expect(one).toBeLessThan(numberOf(event, 'threshold'));
});

const SAME = [
  'change',
  'change_key',
  'statement',
  'submitted_at',
  'executable_at',
  'timelock_s',
  'new_value',
];

/** The published change that an event is about, which says the same. */
function changeOf(event: RiskEvent): VaultChange {
  const rows = Object.values(documentsOf<VaultChange>(world.dir, 'vault-changes'));
  const row = rows.find(({ change_key }) => change_key === event.data['change_key']);
  if (row === undefined) throw new Error('the change is not published');
  for (const name of SAME) expect(event.data[name], name).toEqual(row[name as keyof VaultChange]);
  expect(row.executable_at).toBe(row.submitted_at + Number(row.timelock_s));
  return row;
}

test('delayed changes that wait', () => {
  const pending = publishedEvents(world.dir)
    .map(({ value }) => value as RiskEvent)
    .filter(({ type }) => type === 'vault.change.pending');
  const rows = pending.map(changeOf);
  expect(rows.map(({ status }) => status).sort()).toEqual(['executed', 'pending', 'revoked']);
  for (const [index, { ts, severity, data }] of pending.entries()) {
    const row = rows[index];
    expect(Date.parse(ts) / 1000).toBe(row?.submitted_at);
    expect([data['tx_hash'], data['log_index'], data['can_revoke'], severity]).toEqual([
      ...[row?.tx_hash, row?.log_index, row?.can_revoke, row?.severity],
    ]);
  }
});

test('delayed changes that end', () => {
  for (const type of ['vault.change.executed', 'vault.change.revoked']) {
    const { data } = eventOf(type);
    const row = changeOf(eventOf(type));
    expect([data['tx_hash'], data['ended_by'] ?? null]).toEqual([row.ended_tx_hash, row.ended_by]);
    expect(data['waited_s']).toBe(Number(row.ended_at) - row.submitted_at);
    expect(String(data['pending_key'])).toContain(row.tx_hash);
    expect(type).toBe(`vault.change.${row.status}`);
  }
});

test('an assumption that breaks and holds again', async () => {
  const broken = eventOf('oracle.assumption.broken');
  const { now } = await pointsOf(broken, numberOf(broken, 'observed_at'));
  const [price, marketPrice] = [now('price'), now('market_price')];
  expect([price, marketPrice]).toEqual([1, PRICE]);
  expect(numberOf(broken, 'observed')).toBeCloseTo(marketPrice, 12);
  expect(numberOf(broken, 'gap_bps')).toBeCloseTo(10_000 * (price / marketPrice - 1), 4);
  expect(now('gap_bps')).toBeCloseTo(numberOf(broken, 'gap_bps'), 4);
  const uncovered = DEBT - COLLATERAL * (marketPrice / price);
  for (const end of ['low', 'high']) {
    expect(numberOf(broken, `unrealised_bad_debt_${end}_usd`)).toBeCloseTo(uncovered, 2);
    expect(now(`unrealised_bad_debt_${end}_usd`)).toBeCloseTo(uncovered, 2);
  }
  // Confirmed by an answer of the feed between two readings of the oracle.
  const restored = eventOf('oracle.assumption.restored');
  const after = await pointsOf(restored, Date.parse(restored.ts) / 1000);
  expect(numberOf(restored, 'gap_bps')).toBeCloseTo(
    10_000 * (after.now('price') / after.now('market_price') - 1),
    4,
  );
  expect(after.nowAt).toBe(RESTORED);
  expect([now('is_broken'), after.next('is_broken')]).toEqual([1, 0]);
});

test('a path that changes', async () => {
  const event = eventOf('oracle.path.changed');
  const { now, before } = await pointsOf(event, CHANGED);
  expect(event.data).toMatchObject({
    ...{ contract_address: SECOND_ORACLE, previous_contract_address: FIRST_ORACLE, observed_at: CHANGED },
    ...{ block_number: CHANGED, debt_usd: DEBT },
    markets: [{ market_id: MARKET, price_before: before('price'), price_after: now('price') }],
  });
  const [{ change_bps }] = event.data['markets'] as [{ readonly change_bps: number }];
  expect(change_bps).toBeCloseTo(10_000 * (now('price') / before('price') - 1), 6);
});
