import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';

const peg = (more: object = {}) => ({
  chain: 'ethereum',
  asset_name: 'USDC',
  symbol: 'USDC',
  state: 'pegged',
  source_status: 'live',
  deviation_bps: -1.24,
  ...more,
});
const pegs = (...all: ReturnType<typeof peg>[]) =>
  datasetOf(
    'pegs',
    all.map((value) => ({ key: `${value.chain}|${value.asset_name}`, value })),
  );

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const get = (path: string) => fetch(`${server.url}/badges/${path}`);

/** What the badge says to those who hear it. */
async function said(path: string): Promise<string | undefined> {
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  const text = await answer.text();
  const [, label] = /aria-label="([^"]*)"/.exec(text) ?? [];
  expect(text).toContain(`<title>${label}</title>`);
  return label;
}

async function serve(...published: ReturnType<typeof pegs>[]): Promise<void> {
  const ids = new Set(published.map(({ id }) => id));
  await fixture.publish([...fixtureDatasets().filter(({ id }) => !ids.has(id)), ...published]);
  server = await fixture.serve();
}

test('a peg states its state and its distance from the reference', async () => {
  await serve(pegs(peg(), peg({ asset_name: 'DAI', state: 'depegged', deviation_bps: -310 })));
  expect(await said('pegs/ethereum.USDC.svg')).toBe('USDC peg: pegged, −1.2 bps');
  expect(await said('pegs/Ethereum.DAI.svg')).toBe('DAI peg: depegged, −310 bps');
});

test.each([
  ['no live source', { source_status: 'silent' }],
  ['no live source', { source_status: 'unknown' }],
  ['no price', { state: 'unknown', deviation_bps: null }],
  ['no price', { deviation_bps: null }],
])('a peg is not known: %s', async (why, more) => {
  await serve(pegs(peg(more)));
  expect(await said('pegs/ethereum.USDC.svg')).toBe(`USDC peg: not known: ${why}`);
});

test('a late version says nothing good', async () => {
  await serve(pegs(peg()));
  fixture.nowMs = AS_OF_MS + 86_400_000;
  expect(await said('pegs/ethereum.USDC.svg')).toBe('USDC peg: not known: late');
  expect(await said('coverage.svg')).toBe('coverage: not known: late');
  expect(await said('datasets/pegs.svg')).toBe('pegs: stale');
  expect(await said('status.svg')).not.toBe('risk data: ok');
});

test('a peg that is held back is not known', async () => {
  const held = {
    dataset: 'pegs',
    subject: 'ethereum USDC',
    since: AS_OF,
    checks: ['a check'],
    reason: 'a reason',
  };
  await fixture.publish([...fixtureDatasets().filter(({ id }) => id !== 'pegs'), pegs()], AS_OF, '1.0.0', {
    held_subjects: { total: 1, list: [held] },
  });
  server = await fixture.serve();
  expect(await said('pegs/ethereum.USDC.svg')).toBe('USDC peg: not known: held back');
});

test.each([
  ['pegs', 'pegs/ethereum.USDC.svg', 'USDC peg'],
  ['pegs', 'datasets/pegs.svg', 'pegs'],
  ['manifest-summary', 'coverage.svg', 'coverage'],
])(
  '%s, held back as a whole, is not known, although its earlier rows are served: %s',
  async (id, path, label) => {
    await fixture.publish([...fixtureDatasets().filter((one) => one.id !== 'pegs'), pegs(peg())]);
    const gate = { verdict: 'fail' as const, checks: [], evaluated_at: AS_OF, policy_version: '1.0.0' };
    const carried = { id, kept: true as const, quality_gate: gate };
    const others = [...fixtureDatasets().filter((one) => one.id !== 'pegs'), pegs(peg())];
    const held = { dataset: id, subject: '*', since: AS_OF, checks: ['a'], reason: 'It is wrong.' };
    await fixture.publish(
      [...others.filter((one) => one.id !== id), carried as never],
      isoSeconds(AS_OF_MS + 1_000),
      '1.0.0',
      {
        held_subjects: { total: 1, list: [held] },
      },
    );
    server = await fixture.serve();
    expect(await said(path)).toBe(`${label}: not known: held back`);
  },
);

test('a name with markup is text', async () => {
  await serve(pegs(peg({ asset_name: 'A<b>&"' })));
  expect(await said(`pegs/${encodeURIComponent('ethereum.A<b>&"')}.svg`)).toBe(
    'A&lt;b&gt;&amp;&quot; peg: pegged, −1.2 bps',
  );
});

test.each([
  ['pegs/ethereum.NONE.svg', 404],
  ['pegs/USDC.svg', 404],
  ['datasets/nothing.svg', 404],
  ['datasets/pegs.png', 404],
  ['nothing.svg', 404],
])('%s is refused with %d', async (path, status) => {
  await serve(pegs(peg()));
  expect((await get(path)).status).toBe(status);
});

test('before the first version nothing is known', async () => {
  server = await fixture.serve();
  expect(await said('status.svg')).toBe('risk data: empty');
  expect(await said('coverage.svg')).toBe('coverage: not known: not published');
  expect((await get('pegs/ethereum.USDC.svg')).status).toBe(503);
});
