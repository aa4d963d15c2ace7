// A filter whose value nothing has: refused, or named in the answer, by every endpoint of the API document, so that an empty list never
// looks like a quiet one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUS_SERIES } from '../../../schemas/status-history.ts';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { pathOf } from '../../../server/define/endpoint.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import {
  AS_OF,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  inputsOf,
  ServerFixture,
} from '../server-fixture.ts';

const STRANGE = 'nothing-has-this';
const ADDRESS = `0x${'ab'.repeat(20)}`;
const BASE_PEG = { chain: 'base', asset_name: 'AAA', symbol: 'AAA', protocol: 'liquity' };
const VAULT = {
  ...Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null])),
  ...{
    chain: 'ethereum',
    vault_address: ADDRESS,
    kind: 'morpho_v2',
    asset_symbol: 'USDC',
    protocol: 'morpho',
  },
  ...{
    has_metadata: true,
    flags: [],
    state_status: 'fresh',
    gaps: [],
    pending_changes: 0,
    total_assets_usd: 1,
  },
};

const NEEDED = { vault: `ethereum:${ADDRESS}`, from: 'asset:USDC' };

/** Neither selects rows by a value: the first by contract (4.21) falls back to its default, the second is text that rows contain. */
const NO_FILTERS = new Set(['/v2/events/replay limit', '/v2/yield/opportunities search']);
const filters = ENDPOINTS.filter(({ method }) => method === 'GET').flatMap((endpoint) =>
  Object.keys(endpoint.query.properties)
    .filter((name) => !/cursor|since_event_id/.test(name) && !NO_FILTERS.has(`${endpoint.path} ${name}`))
    .map((name) => [`${endpoint.path} ${name}`, endpoint, name] as const),
);

const own = [
  datasetOf('vaults', [{ key: `ethereum|${ADDRESS}`, value: VAULT }]),
  datasetOf(STATUS_SERIES.dataset, []),
  datasetOf('pegs', [{ key: 'base|AAA', value: BASE_PEG }]),
];
const datasets = everyDataset([...fixtureDatasets(), ...own]);

let fixture: ServerFixture;
let url: string;
let headers: Record<string, string>;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(0), eventCandidate(1)]);
  await fixture.publish(datasets);
  headers = { Authorization: `Bearer ${await fixture.key('enterprise')}` };
  ({ url } = await fixture.serve({ plan: 'enterprise' }));
});
afterAll(() => fixture.remove());

interface Body {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: { parameter?: string };
  };
  readonly meta?: { readonly total?: number; readonly unmatched?: readonly object[] };
  readonly unmatched?: readonly object[];
}
async function ask(path: string, of = url) {
  const answer = await fetch(of + path, of === url ? { headers } : {});
  return { status: answer.status, body: (await answer.json()) as Body };
}

test.each(filters)('%s refuses a value that nothing has, or names it', async (_, endpoint, name) => {
  const path = pathOf(endpoint, {
    ...Object.fromEntries(Object.keys(endpoint.params.properties).map((one) => [one, 'nothing'])),
    ...(endpoint.path.startsWith('/v2/vaults/') && { chain: 'ethereum', address: ADDRESS }),
  });
  const needed = Object.entries(NEEDED).filter(([one]) => endpoint.query.required?.includes(one));
  const query = new URLSearchParams({ ...Object.fromEntries(needed), [name]: STRANGE });
  const { status, body } = await ask(`${path}?${query}`);
  const named = [...(body.meta?.unmatched ?? []), ...(body.unmatched ?? [])];
  if (status === 200) expect(named).toEqual([{ parameter: name, value: STRANGE }]);
  else if (status === 404) expect(body.error?.message.toLowerCase()).toContain(STRANGE);
  else if (endpoint.envelope === 'flat') expect([status, body.error]).toEqual([400, 'INVALID_EVENT_TYPE']);
  else expect([status, body.error?.details?.parameter]).toEqual([400, name]);
});

describe('a chain or a protocol', () => {
  const LISTS = [
    '/v2/pegs',
    '/v2/feeds',
    '/v2/lending/markets',
    '/v2/vaults',
    '/v2/vaults/totals',
    '/v2/conditions',
  ];
  test.each([...LISTS, '/v2/events', '/feeds/events.json'])(
    'that nothing has is refused by %s, also among others',
    async (path) => {
      for (const chains of ['etherium', 'ethereum,etherium', 'base,etherium']) {
        const { status, body } = await ask(`${path}?chain=${chains}`);
        expect([status, body.error?.message]).toEqual([
          400,
          'chain must be a chain that a published row or an event has (base, ethereum), not "etherium"; the nearest is ethereum.',
        ]);
      }
    },
  );

  test('of another list, of an event or of a source is not refused, and a list without it says so', async () => {
    const { status, body } = await ask('/v2/vaults?chain=base');
    expect([status, body.meta]).toMatchObject([
      200,
      { total: 0, unmatched: [{ parameter: 'chain', value: 'base' }] },
    ]);
    expect((await ask('/v2/vaults?chain=Ethereum')).body.meta).not.toHaveProperty('unmatched');
    expect((await ask('/v2/conditions?chain=base&protocol=Liquity')).body.meta).toMatchObject({ total: 0 });
    expect((await ask('/v2/events?chain=base')).status).toBe(200);
    const yields = await ask('/v2/yield/opportunities?filter[venue]=morfo&filter[chain]=etherium');
    expect([yields.status, yields.body.meta]).toMatchObject([
      200,
      {
        total: 0,
        unmatched: [
          { parameter: 'filter[venue]', value: 'morfo' },
          { parameter: 'filter[chain]', value: 'etherium' },
        ],
      },
    ]);
  });

  test('is not refused while rows that may have it are held back, or their sources were never read', async () => {
    const inputs = inputsOf(datasets);
    const unread = { ...inputs, tables: [{ name: 'test_round', is_sourced: true, has_rows: false }] };
    const held = {
      count: 1,
      list: [{ dataset: 'vaults', subject: 'etherium 0x1', reason: 'a check failed' }],
    };
    for (const more of [{ inputs: { ...unread, sources: [] } }, { held_subjects: held }]) {
      await fixture.publish(datasets, AS_OF, '1.0.0', more as object);
      const then = await fixture.serve();
      for (const path of ['/v2/feeds', '/v2/conditions', '/v2/events']) {
        const { status, body } = await ask(`${path}?chain=etherium`, then.url);
        expect([path, status, body.meta?.unmatched]).toEqual([
          path,
          200,
          [{ parameter: 'chain', value: 'etherium' }],
        ]);
      }
    }
  });
});

test('names of a version are those of its time', async () => {
  const past = await ServerFixture.create();
  await past.publish(datasets);
  const later = datasetOf('pegs', [{ key: 'solana|AAA', value: { ...BASE_PEG, chain: 'solana' } }]);
  await past.publish(everyDataset([...fixtureDatasets(), later]), '2026-03-01T12:05:00Z');
  const then = await past.serve();
  expect((await ask('/v2/vaults?chain=solana', then.url)).status).toBe(200);
  expect((await ask(`/v2/vaults?chain=solana&as_of=${AS_OF}`, then.url)).status).toBe(400);
  expect((await ask(`/v2/vaults?chain=base&as_of=${AS_OF}`, then.url)).status).toBe(200);
  await past.remove();
});
