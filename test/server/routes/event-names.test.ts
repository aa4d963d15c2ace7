// Names of subjects in event lists, taken only from the registries of the displayed version.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { EventCandidate } from '../../../snapshots/events.ts';
import type { Json } from '../../../platform/base/json.ts';
import {
  AS_OF,
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const EARLY = isoSeconds(AS_OF_MS - DAY_MS);
const about = (n: number, subject_id: string, data: Json = {}): EventCandidate => {
  const { key, envelope } = eventCandidate(n, AS_OF_MS - 2 * DAY_MS + n * 60_000);
  return { key, envelope: { ...envelope, subject_id, data } };
};
const EVENTS = [
  about(0, 'vault:ethereum:0xa1'),
  about(1, 'oracle:base:0xf1:0xb1'),
  about(2, 'vault:base:0xa1'),
  about(3, 'peg:ethereum:USDT', { subject_id: 'vault:ethereum:0xa2', quoted: '"subject_id":"x' }),
  about(4, 'liquidity:base:0xb2'),
];

const registries = (as_of: string, vault: string) => {
  const dataset = (id: string, rows: Readonly<Record<string, Json>>) =>
    datasetOf(
      id,
      Object.entries(rows).map(([key, value]) => ({ key, value })),
      as_of,
    );
  return [
    ...fixtureDatasets(as_of),
    dataset('feeds', { 'base|0xf1': { pair: 'ETH-USD' } }),
    dataset('lending-markets', {
      'base|0xb1': { name: 'WETH/USDC', protocol: 'morpho' },
      'base|0xb2': { name: null, protocol: 'aave' },
    }),
    dataset('lending-vaults', { 'ethereum|0xa1': { name: vault }, 'ethereum|0xa2': { name: 'Other' } }),
  ];
};

let fixture: ServerFixture;
let server: RunningServer;
let ids: string[];
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const appended = await fixture.append(EVENTS);
  ids = appended.map((text) => (JSON.parse(text) as { event_id: string }).event_id);
  await fixture.publish(registries(EARLY, 'Early name'), EARLY);
  await fixture.publish(registries(AS_OF, 'Anchor “名” USDC'));
  server = await fixture.serve({ anonymousPlan: null });
  await server.refresh();
});
afterAll(() => fixture.remove());

const namesIn = async (path: string) =>
  ((await (await fetch(server.url + path)).json()) as { meta: { names: object } }).meta.names;

test('a list names the parts of its subjects, on their own chain, and invents nothing', async () => {
  expect(await namesIn('/v2/events')).toEqual({
    '0xa1': 'Anchor “名” USDC',
    '0xf1': 'ETH-USD',
    '0xb1': 'WETH/USDC (morpho)',
  });
});

test('only names of the page are included', async () => {
  expect(await namesIn('/v2/events?order=asc&limit=1')).toEqual({ '0xa1': 'Anchor “名” USDC' });
  expect(await namesIn('/v2/events?subject=vault:base:0xa1')).toEqual({});
  expect(await namesIn('/v2/events?subject=peg:ethereum:USDT')).toEqual({});
  expect(await namesIn('/v2/events?severity=critical')).toEqual({});
});

test('a single event has its names, and an earlier version its own names', async () => {
  expect(await namesIn(`/v2/events/${ids[0]}`)).toEqual({ '0xa1': 'Anchor “名” USDC' });
  expect(await namesIn(`/v2/events/${ids[0]}?as_of=${EARLY}`)).toEqual({ '0xa1': 'Early name' });
  expect(await namesIn(`/v2/events?as_of=${EARLY}&limit=1&order=asc`)).toEqual({ '0xa1': 'Early name' });
});
