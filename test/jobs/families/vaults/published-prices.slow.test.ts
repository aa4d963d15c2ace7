// A week of published share prices in a stranger's file, from configuration to responses: hours in any order, some of them twice and some
// missing, European numbers of up to 18 places, checksummed addresses.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import type { Vault } from '../../../../schemas/vaults.ts';
import { fileOf } from '../../../../server/data/mirror.ts';
import type { RunningServer } from '../../../../server/deps.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { exportTo } from '../../../support/exported-mirror.ts';
import { neededFor } from '../../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  type TestWorldOptions,
  testFolder,
} from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const HOUR = 3_600;
/** 2025-11-03, and the last hour of the week after it. */
const START = 1_762_128_000;
const HOURS = 168;
const END = START + HOURS * HOUR;
const NOW = END + 1_800;
const PLACES = 18;
const ONE = 10n ** BigInt(PLACES);

/** Price in 10^-18 by hour; null for an hour that the file lacks. */
type Prices = (hour: number) => bigint | null;

const daily = [
  ...['1.0145', '1.024645', '1.03489145', '1.0452403645', '1.055692768145', '1.06624969582645'],
  ...['1.0769121927847145', '1.0876813147125616'],
];
const FALLS = [
  [26, 1_226_080_000_000_000_000n],
  [27, 1_164_776_000_000_000_000n],
  [28, 1_160_116_896_000_000_000n],
  [100, 1_160_105_294_831_040_000n],
] as const;

const VAULTS: Readonly<Record<string, Prices>> = {
  /** Everything is lent, and interest that no one will pay is booked: 4 basis points an hour. */
  '0x94643E86AA5E38DDAC6C7791C1297F4E40CD96C1': (hour) =>
    1_002_431_549_966_221_500n + BigInt(hour) * 417_000_000_000_123n,
  /** One price a day, 1 % higher each time. */
  '0x3014ED70B39be395e1a5Eb8ab4c4b8a5378E6522': (hour) => (hour % 24 === 0 ? digits(daily[hour / 24]) : null),
  /** Marked down by 3 %, 5 %, .4 % and a tenth of a basis point. */
  '0xE2fc85BfB48C4cF147921fBE110cf92Ef9f26F94': (hour) =>
    FALLS.findLast(([from]) => from <= hour)?.[1] ?? 1_264_000_000_000_000_000n,
  /** A loss of 5 % that is made good thirty hours later. */
  '0x000000000000000000000000000000000000AA01': (hour) => {
    const whole = 1_050_000_000_000_000_000n + BigInt(hour) * 500_000_000_000n;
    return hour >= 50 && hour < 80 ? (whole * 95n) / 100n : whole;
  },
  /** Frozen at one price, then silent; a file does not say whether it has been read since. */
  '0x000000000000000000000000000000000000aA02': (hour) => (hour <= 120 ? ONE + 100n : null),
  /** Eleven hours are missing, and the price is 2 basis points lower after them. */
  '0x000000000000000000000000000000000000Aa03': (hour) => {
    if (hour >= 60 && hour <= 70) return null;
    return hour <= 59 ? 2n * ONE : 1_999_600_000_000_000_000n;
  },
};
const [PHANTOM = '', DAILY = '', MARKED = '', RECOVERED = '', FROZEN = '', PATCHY = ''] = Object.keys(VAULTS);

function digits(text = ''): bigint {
  const [whole = '', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(PLACES, '0'));
}
const decimal = (value: bigint): string => {
  const text = value.toString().padStart(PLACES + 1, '0');
  return `${text.slice(0, -PLACES)}.${text.slice(-PLACES)}`;
};
/** As a German spreadsheet writes it, without zeros at the end. */
const european = (value: bigint): string => decimal(value).replace('.', ',').replace(/,?0+$/, '');
const two = (value: number): string => String(value).padStart(2, '0');
const german = (seconds: number): string => {
  const at = new Date(seconds * 1000);
  return `${two(at.getUTCDate())}.${two(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ${two(at.getUTCHours())}:00`;
};

function fileText(): string {
  const random = seededRandom(3);
  const lines = Object.entries(VAULTS).flatMap(([vault, priceOf]) =>
    Array.from({ length: HOURS + 1 }, (_, hour) => {
      const price = priceOf(hour);
      return price === null ? [] : [`Ethereum;${vault};${german(START + hour * HOUR)};${european(price)};x`];
    }).flat(),
  );
  const order = [...lines, ...lines.slice(100, 140)].map((line) => [random(), line] as const);
  const shuffled = order.toSorted(([left], [right]) => left - right).map(([, line]) => line);
  return ['Chain;Contract;Stunde (UTC);Kurs je Anteil;Kommentar', ...shuffled, ''].join('\n');
}

const configOf = (path: string) => ({
  profile: 'files',
  sources: {
    'published-prices': {
      ...{ table: 'vault_state', path, format: 'csv', delimiter: ';', name: 'Published share prices' },
      fields: {
        chain: 'Chain',
        vault_address: 'Contract',
        observed_at: { from: 'Stunde (UTC)', time: '%d.%m.%Y %H:%M' },
        kind: { value: 'erc4626' },
        share_price: { from: 'Kurs je Anteil', number: 'european' },
      },
    },
  },
});

let folder: TestFolder;
let fixture: ServerFixture;
let server: RunningServer;
let key: string;

const optionsAt = (now: number): TestWorldOptions => ({
  ...{ config: configOf(join(folder.dir, 'kurse.csv')), now },
  domains: neededFor({
    datasets: ['vaults', 'vault-holdings', 'vault-changes'],
    events: ['vault.share_price', 'vault.liquidity'],
  }),
});
const runAt = (now: number) =>
  inWorld(folder.dir, optionsAt(now), async (world) => {
    expect(await runOnce(world, null)).toBe(0);
  });

beforeAll(async () => {
  folder = testFolder();
  writeFileSync(join(folder.dir, 'kurse.csv'), fileText());
  await runAt(NOW);
  fixture = new ServerFixture(join(folder.dir, 'snapshots'));
  fixture.nowMs = NOW * 1000;
  key = await fixture.key('team');
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(async () => {
  await fixture?.remove();
  folder?.remove();
});

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${key}`, ...headers } });
async function json<T>(path: string): Promise<T> {
  const answer = await ask(path);
  expect(answer.status, path).toBe(200);
  return ((await answer.json()) as { readonly data: T }).data;
}
const one = (address: string) => json<Vault>(`/v2/vaults/ethereum/${address}`);

test('every row is accounted for', () => {
  const receipts = readFileSync(join(folder.dir, 'log.ndjson'), 'utf8').match(/\{[^\n]*"landed"[^\n]*\}/g);
  const points = Object.values(VAULTS).flatMap((priceOf) =>
    Array.from({ length: HOURS + 1 }, (_, hour) => priceOf(hour)).filter((price) => price !== null),
  );
  expect((receipts ?? []).map((line) => JSON.parse(line))).toMatchObject([
    { rows_in: points.length + 40, rows_landed: points.length, rows_deduplicated: 40, rows_quarantined: 0 },
  ]);
});

test('prices are as published to the last digit, growth is that of the published prices, and what is not known is named', async () => {
  const UNKNOWN = ['changes_unknown', 'collateral_at_risk_unknown', 'decimals_unknown', 'price_unknown'];
  expect(await one(PHANTOM)).toMatchObject({
    ...{ share_price: '1.072487549966242164', backed_share_price: null, flags: [], state_status: 'fresh' },
    ...{ net_apy_1d_pct: 2963.113294, net_apy_7d_pct: 3286.435136, net_apy_30d_pct: null },
    gaps: ['apy_history_missing', ...UNKNOWN],
  });
  expect(await one(DAILY)).toMatchObject({
    ...{ share_price: '1.087681314712561600', net_apy_1d_pct: 3678.343433, net_apy_7d_pct: 3678.343433 },
    flags: [],
  });
  expect(await one(MARKED)).toMatchObject({
    ...{ share_price: '1.160105294831040000', net_apy_1d_pct: 0, net_apy_7d_pct: null },
    ...{ flags: ['price_fell'], gaps: ['apy_history_missing', 'apy_price_broke', ...UNKNOWN] },
  });
  expect(await one(RECOVERED)).toMatchObject({
    ...{ share_price: '1.050084000000000000', net_apy_7d_pct: null, flags: ['donated', 'price_fell'] },
  });
  expect(await one(FROZEN)).toMatchObject({
    ...{ share_price: '1.000000000000000100', state_at: START + 120 * HOUR, state_status: 'unverifiable' },
    ...{ net_apy_1d_pct: 0, flags: [] },
  });
});

test('each fall is one event with its digits, whatever the order of the file; a fall over a silence is doubted', () => {
  const falls = publishedEvents(folder.dir)
    .filter(({ value }) => value.type === 'vault.share_price.fell')
    .map(({ value }) => value);
  const of = (address: string) =>
    falls.filter(({ subject_id }) => subject_id === `vault:ethereum:${address.toLowerCase()}`);
  const at = (hour: number) => new Date((START + hour * HOUR) * 1000).toISOString().replace('.000Z', 'Z');
  expect(falls).toHaveLength(6);
  expect(of(MARKED).map(({ ts, severity, data }) => [ts, severity, data['fall_bps']])).toEqual([
    [at(26), 'critical', 300],
    [at(27), 'critical', 500],
    [at(28), 'high', 40],
    [at(100), 'warn', 0.1],
  ]);
  expect(of(MARKED)[2]?.data).toMatchObject({
    ...{ price_before: '1.164776000000000000', price_after: '1.160116896000000000', suppressed_count: 0 },
    ...{ quoted_before: '1.164776000000000000', coverage: null, loss_usd: null, cause: 'unknown' },
  });
  expect(of(RECOVERED).map(({ ts, severity }) => [ts, severity])).toEqual([[at(50), 'critical']]);
  expect(of(PATCHY)).toMatchObject([{ ts: at(71), severity: 'high', data: { fall_bps: 2 } }]);
  expect(JSON.stringify(of(PATCHY))).toContain('reading_old');
  expect(JSON.stringify(of(RECOVERED))).not.toContain('reading_old');
});

interface History {
  readonly t: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  readonly gaps?: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
}
const historyPath = (address: string, more = '') =>
  `/v2/vaults/ethereum/${address}/history?resolution=raw&from=${START}&to=${NOW}${more}`;

test('list, one, history, CSV, Arrow and mirror say the same of every vault', async () => {
  const listed = await json<Vault[]>('/v2/vaults?limit=100');
  const published = documentsOf<Vault>(folder.dir, 'vaults');
  expect(listed).toHaveLength(Object.keys(VAULTS).length);
  const out = join(folder.dir, 'mirror');
  mkdirSync(out);
  await exportTo(out, { folder: folder.dir, url: 'https://mirror.example', plan: 'custom' });
  for (const [address, priceOf] of Object.entries(VAULTS)) {
    const lower = address.toLowerCase();
    const row = await one(address);
    expect(await one(lower)).toEqual(row);
    expect(listed.find(({ vault_address }) => vault_address === lower)).toEqual(row);
    expect(published[`ethereum|${lower}`]).toEqual(row);
    const mirrored = readFileSync(join(out, fileOf(`/v2/vaults/ethereum/${lower}`) ?? ''), 'utf8');
    expect((JSON.parse(mirrored) as { readonly data: Vault }).data).toEqual(row);
    const { t, columns } = await json<History>(historyPath(address));
    const hours = Array.from({ length: HOURS + 1 }, (_, hour) => hour).filter(
      (hour) => priceOf(hour) !== null,
    );
    const prices = hours.map((hour) => Number(decimal(priceOf(hour) ?? 0n)));
    expect([t, columns['share_price']]).toEqual([hours.map((hour) => START + hour * HOUR), prices]);
    const csv = (await (await ask(historyPath(address, '&format=csv'))).text()).trim().split('\r\n');
    expect(csv).toHaveLength(hours.length + 1);
    const place = csv[0]?.split(',').indexOf('share_price') ?? -1;
    expect(csv.slice(1).map((line) => Number(line.split(',')[place]))).toEqual(prices);
    const arrow = await ask(historyPath(address, '&format=arrow'));
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    expect([...(table.getChild('share_price') ?? [])]).toEqual(prices);
  }
});

test('missing hours are gaps of the history, from the second at which the last price is too old', async () => {
  const MAX_AGE = 5_400;
  const { gaps } = await json<History>(historyPath(PATCHY));
  expect(gaps).toEqual([{ from: START + 59 * HOUR + MAX_AGE, to: START + 71 * HOUR, reason: 'no_state' }]);
  const frozen = await json<History>(historyPath(FROZEN));
  expect(frozen.gaps?.[0]).toMatchObject({ from: START + 120 * HOUR + MAX_AGE, reason: 'no_state' });
  expect((await json<History>(historyPath(DAILY))).gaps?.length).toBeGreaterThanOrEqual(7);
  expect((await json<History>(historyPath(PHANTOM))).gaps ?? []).toEqual([]);
});

interface Evidence {
  readonly story: unknown;
  readonly series: readonly {
    readonly t: readonly number[];
    readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  }[];
}

test('the evidence of a fall has both prices from the published history', async () => {
  for (const { value } of publishedEvents(folder.dir)) {
    const { data, event_id, subject_id } = value;
    if (!subject_id.endsWith(MARKED.toLowerCase())) continue;
    const { series, story } = await json<Evidence>(`/v2/events/${event_id}/evidence`);
    const [{ t = [], columns = {} } = {}] = series;
    const priceAt = (name: string) => columns['share_price']?.[t.indexOf(Number(data[name]))];
    expect([priceAt('previous_at'), priceAt('observed_at')]).toEqual([
      Number(data['price_before']),
      Number(data['price_after']),
    ]);
    expect(JSON.stringify(story)).toContain('The quoted price of the vault');
  }
});

test('the same file again appends no event, and a rebuild gives the same bytes', async () => {
  const events = publishedEvents(folder.dir);
  await runAt(NOW + 300);
  expect(publishedEvents(folder.dir)).toEqual(events);
  const hashes = datasetHashes(folder.dir);
  await inWorld(folder.dir, { ...optionsAt(NOW + 300), isRebuild: true }, async (world) => {
    expect(await rebuild(world)).toBe(0);
  });
  expect(datasetHashes(folder.dir)).toEqual(hashes);
  expect(publishedEvents(folder.dir)).toEqual(events);
});
