// USD figures become native units by our own feeds, through a whole run over files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BaseRestaking, RestakingProtocol } from '../../../../schemas/restaking.ts';
import { type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, documentsOf, type FilesConfig, runFiles } from '../../../support/published-files.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 10) / 1000;
const NOON = TODAY + DAY / 2;
const FEED = '0x00000000000000000000000000000000000000a1';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

type Row = Readonly<Record<string, string | number>>;

/** A source of one table whose rows bear the names of its fields. */
function source(table: string, rows: readonly Row[]) {
  const fields = Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, name]));
  writeFileSync(join(folder.dir, `${table}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { table, path: `${table}.ndjson`, format: 'ndjson', name: table, fields };
}

const state = (protocol: string, observed_at: number, total_restaked_usd: number) => ({
  protocol,
  observed_at,
  total_restaked_usd,
});
const round = (updated_at: number, price: number) => ({
  chain: 'ethereum',
  feed_address: FEED,
  round_id: String(updated_at),
  answer: `${price}00000000`,
  decimals: 8,
  updated_at,
});
const feed = {
  chain: 'ethereum',
  provider: 'chainlink',
  feed_address: FEED,
  name: 'ETH / USD',
  base: 'ETH',
  quote: 'USD',
  heartbeat_s: 3_600,
  decimals: 8,
  observed_at: TODAY - 30 * DAY,
};

const files = (states: readonly Row[], rounds: readonly Row[]): FilesConfig => ({
  profile: 'files',
  sources: {
    states: source('restaking_state', states),
    feeds: source('feed_registry', [feed]),
    rounds: source('feed_round', rounds),
  },
});

const latest = (name: string) =>
  documentsOf<readonly RestakingProtocol[]>(folder.dir, 'restaking-latest')[name]?.[0];

test('the price is that of the figure, not of the day or of now', async () => {
  const at = NOON - 7_200;
  const rounds = [round(at - 60, 2_000), round(at + 1, 9_999), round(NOON - 10, 3_000)];
  const states = [
    state('EigenLayer', at, 10_000_000),
    state('Renzo', at, 3_000),
    state('Renzo', NOON, 6_000),
  ];
  expect(await runFiles(folder.dir, files(states, rounds), NOON)).toEqual([]);
  expect(latest('eigenlayer')?.total_restaked_native).toBe(5_000);
  expect(latest('renzo')?.total_restaked_native).toBe(2);
  const base = documentsOf<readonly BaseRestaking[]>(folder.dir, 'base-restaking-week')['eigenlayer']?.[0];
  expect(base).toMatchObject({ total_restaked_native: 5_000, total_staked_native: null });
});

test('without a feed that lives, or with other native units, the figure is a named gap', async () => {
  const rounds = [round(NOON - 3_661, 2_000)];
  const states = [state('Renzo', NOON, 3_000), state('Babylon Protocol', NOON, 3_000)];
  expect(await runFiles(folder.dir, files(states, rounds), NOON)).toEqual([]);
  expect([latest('renzo'), latest('babylonprotocol')].map((one) => one?.total_restaked_native)).toEqual([
    null,
    null,
  ]);
  expect(confidenceOf(folder.dir, 'restaking-latest')?.reasons).toContain(
    'total_restaked_native: not known in 2 of 2 records',
  );
});

test('a pair of the configuration prices the units of a protocol', async () => {
  const configured = {
    ...files([state('Other Chain', NOON, 3_000)], [round(NOON, 2_000)]),
    policy: { restaking: { native_pairs: { '*': 'BTC-USD', otherchain: 'ETH-USD' } } },
  };
  expect(await runFiles(folder.dir, configured, NOON)).toEqual([]);
  expect(latest('otherchain')?.total_restaked_native).toBe(1.5);
});
