// Pages to embed elsewhere: any page may frame them, they load and store nothing, and they show nothing as good that is not known.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import {
  AS_OF,
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const HARD = 'USD0++ a_b*c[d] <b>';
const NOW_S = AS_OF_MS / 1_000;
const HOUR_S = 3_600;

const peg = (more: object = {}) => ({
  chain: 'ethereum',
  asset_name: 'USDC',
  symbol: 'USDC',
  quote: 'USD',
  state: 'pegged',
  source_status: 'live',
  deviation_bps: -1.5,
  enter_bps: 100,
  is_downside_only: false,
  sources: 3,
  ...more,
});
const market = (more: object = {}) => ({
  chain: 'ethereum',
  market_id: '0xabc',
  name: 'USDC pool',
  protocol: 'aave',
  state_status: 'fresh',
  utilization: 0.905,
  is_utilization_high: false,
  is_depth_collapsed: false,
  ...more,
});

interface History {
  readonly column: string;
  /** Values by hours before now, oldest first. */
  readonly hours: readonly (readonly [ago: number, value: number | null])[];
  readonly gaps?: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
}

function withHistory(input: DatasetInput, key: string, { column, hours, gaps = [] }: History): DatasetInput {
  const value = {
    t: hours.map(([ago]) => NOW_S - ago * HOUR_S),
    columns: { [column]: hours.map(([, one]) => one) },
    gaps: gaps.map((gap) => ({ ...gap })),
  };
  const part = { resolution: '1h', from: NOW_S - 14 * 86_400, to: NOW_S + HOUR_S } as const;
  return { ...input, series: [{ ...part, documents: async () => [{ key, value }] }] };
}

const STEADY: History = {
  column: 'deviation_bps',
  hours: [
    [200, -50],
    [3, -1],
    [2, -2],
    [1, -1.5],
    [0, -1.5],
  ],
};
const pegs = (value: ReturnType<typeof peg> = peg(), history: History = STEADY) => {
  const key = `${value.chain}|${value.asset_name}`;
  return withHistory(datasetOf('pegs', [{ key, value }]), key, history);
};
const markets = (value = market()) => {
  const key = 'ethereum|0xabc';
  const history: History = {
    column: 'utilization',
    hours: [
      [1, 0.9],
      [0, 0.905],
    ],
  };
  return withHistory(datasetOf('lending-markets', [{ key, value }]), key, history);
};

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function serve(...inputs: readonly DatasetInput[]): Promise<void> {
  await fixture.publish([...fixtureDatasets(), ...inputs]);
  server = await fixture.serve({ anonymousPlan: null });
}
const get = (path: string) => fetch(`${server.url}/embed/${path}`);
const page = async (path: string) => (await get(path)).text();
const USDC = 'pegs/ethereum/USDC';

test('any page may frame it, and it loads, sends and stores nothing', async () => {
  await serve(pegs());
  const answer = await get(USDC);
  const text = await answer.text();
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(answer.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  );
  expect([answer.status, answer.headers.get('set-cookie'), answer.headers.get('x-frame-options')]).toEqual([
    200,
    null,
    null,
  ]);
  expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=300/);
  expect(text).not.toMatch(/<script|<link|<img|style=|src=|javascript:/);
  expect(text.length).toBeLessThan(8_000);
  const again = await fetch(answer.url, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

test('a peg has its state, its week, its time, its completeness and a link back to that time', async () => {
  await serve(pegs());
  const text = await page('pegs/Ethereum/USDC');
  expect(text).toContain('<h1>USDC against USD, ethereum</h1>');
  expect(text).toContain('<p class="good"><strong>pegged, −1.5 bps (3 sources)</strong></p>');
  expect(text).toContain(
    'As of 2026-03-01 12:00 UTC. The data is fresh. Of the last 7 days nothing is missing.',
  );
  expect(text).toContain(
    `href="/pegs?chain=ethereum&amp;symbol=USDC&amp;as_of=${AS_OF}" target="_blank" rel="noopener"`,
  );
  expect(text).toContain('between −2 bps and −1 bps, last −1.5 bps"');
  expect(text.match(/class="limit"/g)).toHaveLength(2);
  expect(text).toContain('Simulated data.');
});

test('a market has its utilization', async () => {
  await serve(markets());
  const text = await page('markets/ethereum/0xABC');
  expect(text).toContain('<h1>USDC pool, aave, ethereum</h1>');
  expect(text).toContain('<p class="good"><strong>90.5 % utilized</strong></p>');
  expect(text).toContain(`href="/lending?chain=ethereum&amp;market=0xabc&amp;as_of=${AS_OF}"`);
});

test.each([
  [{ is_utilization_high: true }, 'bad', '90.5 % utilized, high'],
  [{ is_depth_collapsed: true }, 'bad', '90.5 % utilized, its depth has collapsed'],
  [{ is_depth_collapsed: null }, 'unknown', '90.5 % utilized'],
  [{ utilization: null }, 'unknown', 'Not known: no utilization'],
  [{ state_status: 'stale' }, 'unknown', 'Not known: its state is not fresh'],
])('a market with %j is not shown as good', async (more, sign, text) => {
  await serve(markets({ ...market(), ...more } as ReturnType<typeof market>));
  expect(await page('markets/ethereum/0xabc')).toContain(`<p class="${sign}"><strong>${text}</strong></p>`);
});

test.each([
  [{ source_status: 'silent' }, 'unknown', 'Not known: no live source'],
  [{ state: 'unknown' }, 'unknown', 'Not known: no price'],
  [{ deviation_bps: null }, 'unknown', 'Not known: no price'],
  [{ state: 'disputed', sources: 1 }, 'warn', 'disputed, −1.5 bps (1 source)'],
  [{ state: 'depegged', deviation_bps: -310 }, 'bad', 'depegged, −310 bps (3 sources)'],
])('a peg with %j is not shown as good', async (more, sign, text) => {
  await serve(pegs({ ...peg(), ...more } as ReturnType<typeof peg>));
  expect(await page(USDC)).toContain(`<p class="${sign}"><strong>${text}</strong></p>`);
});

test('late data says nothing about now', async () => {
  await serve(pegs());
  fixture.nowMs = AS_OF_MS + DAY_MS;
  const text = await page(USDC);
  expect(text).toContain('<p class="unknown"><strong>Not known now: the data is late</strong></p>');
  expect(text).toContain('The data is stale.');
});

test('what is held back says so and draws nothing', async () => {
  const held = {
    dataset: 'pegs',
    subject: '*',
    since: AS_OF,
    checks: ['a check'],
    reason: 'Pegs are in doubt.',
  };
  await fixture.publish([...fixtureDatasets(), pegs()], AS_OF, '1.0.0', {
    held_subjects: { total: 1, list: [held] },
  });
  server = await fixture.serve();
  const text = await page(USDC);
  expect(text).toContain('Not known: Pegs are in doubt.');
  expect(text).not.toMatch(/<svg|pegged/);
});

test('before anything is published nothing is known; what does not exist is not found, in a frame too', async () => {
  server = await fixture.serve();
  expect(await page(USDC)).toContain('Not known: No data has been published yet.');
  await serve(pegs());
  for (const path of ['pegs/ethereum/NONE', `${USDC}?as_of=2020-01-01T00:00:00Z`]) {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
      404,
      expect.stringContaining('frame-ancestors *'),
    ]);
    expect(await answer.text()).toContain('<h1>Not found</h1>');
  }
  expect((await get(`${USDC}?theme=blue`)).status).toBe(400);
});

test('the line breaks where a value is missing, and gaps are shaded and counted once', async () => {
  const from = NOW_S - 10 * HOUR_S;
  const gaps = [
    { from, to: from + 2 * HOUR_S, reason: 'no_rounds' },
    { from: from + HOUR_S, to: from + 3 * HOUR_S, reason: 'not_delivered' },
    { from: NOW_S - 9 * 86_400, to: NOW_S - 7 * 86_400 + HOUR_S, reason: 'not_delivered' },
  ];
  const hours = [
    [170, 9],
    [12, 1],
    [11, 2],
    [6, 3],
    [4, null],
    [3, 4],
    [2, 5],
  ] as const;
  await serve(pegs(peg(), { column: 'deviation_bps', hours, gaps }));
  const text = await page(USDC);
  // One line of two points, a dot, and another line: three moves.
  expect(/class="line" d="([^"]*)"/.exec(text)?.[1]?.match(/M/g)).toHaveLength(3);
  expect(text.match(/class="gap"/g)).toHaveLength(3);
  expect(text).toContain('Of the last 7 days 4 h are missing.');
  expect(text).toContain('between 1 bps and 5 bps, last 5 bps');
});

test('points may be a day apart, and time before the history begins is not covered', async () => {
  const hours = [
    [30, 1],
    [5, 2],
  ] as const;
  await serve(pegs(peg(), { column: 'deviation_bps', hours }));
  const text = await page(USDC);
  expect(/class="line" d="([^"]*)"/.exec(text)?.[1]?.match(/M/g)).toHaveLength(1);
  expect(text).toContain('The history begins on 2026-02-28 06:00 UTC; since then nothing is missing.');
});

test('without a history there is no chart', async () => {
  await serve(pegs(peg(), { column: 'deviation_bps', hours: [] }));
  const text = await page(USDC);
  expect(text).not.toContain('<svg');
  expect(text).toContain('No value of the last 7 days is known.');
});

test('names are text, and the theme can be chosen', async () => {
  await serve(pegs(peg({ asset_name: HARD, symbol: HARD }) as ReturnType<typeof peg>));
  const text = await page(`pegs/ethereum/${encodeURIComponent(HARD)}?theme=dark`);
  expect(text).toContain('<html lang="en" class="dark">');
  expect(text).toContain('<h1>USD0++ a_b*c[d] &lt;b&gt; against USD, ethereum</h1>');
});

test('an earlier version is shown as it was judged then', async () => {
  const earlier = isoSeconds(AS_OF_MS - DAY_MS);
  await fixture.publish(
    [
      ...fixtureDatasets(earlier),
      { ...pegs(peg({ state: 'depegged' }) as ReturnType<typeof peg>), computed_at: earlier },
    ],
    earlier,
  );
  await serve(pegs());
  const text = await page(`${USDC}?as_of=${earlier}`);
  expect(text).toContain('depegged, −1.5 bps (3 sources)');
  expect(text).toContain('As of 2026-02-28 12:00 UTC. The data is fresh.');
});
