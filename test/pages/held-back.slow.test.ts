// While a feed and what rests on it are held back, the pages of its market, protocol, vault, asset and curator claim no state of it (skipped
// without Chromium).
import { expect } from 'vitest';
import type { Json } from '../../platform/base/json.ts';
import { LendingMarketSchema } from '../../schemas/lending.ts';
import { AS_OF, AS_OF_MS, fixtureDatasets } from '../server/server-fixture.ts';
import { browserTest } from '../server/web/chromium.ts';
import { EARLIER, heldSubjects, REASON, serviceForFile, tableOf, type Values } from './withheld-service.ts';

const market = (market_id: string): Values => ({
  ...Object.fromEntries(Object.keys(LendingMarketSchema.properties).map((name) => [name, null])),
  ...{ edge_case_flags: [], feeds: ['0xfeed'], parameter_flags: [], has_metadata: true },
  ...{ chain: 'ethereum', market_id, protocol: 'aave', name: market_id.toUpperCase(), lltv: 0.8 },
  ...{ loan_symbol: 'USDC', collateral_symbol: 'ETH', liquidation_threshold: null, risk_level: 'low' },
  ...{ supplied_usd: 1_000_000, borrowed_usd: 400_000, utilization: 0.4, withdrawable_usd: 600_000 },
  ...{ depth_usd: 500_000, supply_apr_pct: 2, borrow_apr_pct: 4, oracle_status: 'fresh' },
  ...{ oracle_status_reason: null, is_classified: true, is_frozen: false, is_paused: false },
  ...{ state_flags: [], state_status: 'fresh', state_at: AS_OF_MS / 1_000 },
});
const vault = (vault_address: string): Values => ({
  ...{ chain: 'ethereum', vault_address, name: vault_address.toUpperCase(), protocol: 'morpho' },
  ...{
    asset_symbol: 'USDC',
    has_metadata: true,
    is_listed: true,
    curator_address: '0xc',
    curator_name: 'Careful',
  },
  ...{ owner_address: null, guardian_address: null, fee: '0', timelock_s: 86_400, events: 3 },
  ...{ governance_kinds: ['cap'], last_event_at: null },
});
const node = (name: string, edges: readonly (readonly [string, string, number])[]): Values => ({
  ...{ node: name, kind: name.split(':')[0] ?? '', name: null, known_share: 1, supplied_usd: null },
  edges: edges.map(([to, kind, share]) => ({
    ...{ to, kind, name: null, usd: 1_000 * share, share, observed_at: AS_OF_MS / 1_000, source_id: 't' },
  })),
});
const tranches = (market_id: string): Values => ({
  ...{ id: `ethereum:${market_id}`, chain: 'ethereum', market_id, observed_at: AS_OF_MS / 1_000 },
  tranches: [{ fall_from: 0, fall_to: 0.1, debt_usd: 400_000, collateral_usd: 900_000 }],
});

const all = [
  ...fixtureDatasets(),
  tableOf('lending-markets', ['chain', 'market_id'], [market('0xaa'), market('0xbb')]),
  tableOf('lending-vaults', ['chain', 'vault_address'], [vault('0xf1'), vault('0xf2')]),
  tableOf('vault-events', ['chain', 'tx_hash'], []),
  tableOf('borrower-tranches', ['id'], [tranches('0xaa'), tranches('0xbb')]),
  tableOf(
    'exposure-graph',
    ['node'],
    [
      node('vault:ethereum:0xf1', [['market:ethereum:0xaa', 'market', 1]]),
      node('vault:ethereum:0xf2', [['market:ethereum:0xbb', 'market', 1]]),
      node('market:ethereum:0xbb', [['asset:ETH', 'asset', 1]]),
    ],
  ),
];

/** What rests on the feed of the market `0xaa`. */
const HELD = {
  feeds: 'ethereum 0xfeed',
  'lending-markets': 'ethereum 0xaa',
  'borrower-tranches': 'ethereum 0xaa',
  'exposure-graph': 'ethereum 0xf1',
  'vault-events': 'ethereum 0xf1',
};

const isOf = (value: Json, text: string): boolean => JSON.stringify(value).includes(text);
const held = all.map((dataset) => {
  const subject = (HELD as Readonly<Record<string, string>>)[dataset.id]?.split(' ')[1];
  const { documents } = dataset;
  if (subject === undefined || !Array.isArray(documents)) return dataset;
  return {
    ...dataset,
    documents: documents.filter(
      ({ value, key }) =>
        !(key.includes(subject) || (dataset.id !== 'exposure-graph' && isOf(value, subject))),
    ),
  };
});

const service = serviceForFile([
  { as_of: EARLIER, datasets: all },
  { as_of: AS_OF, datasets: held, held_subjects: heldSubjects(HELD) },
]);

const PAGES = {
  market: ['/lending?chain=ethereum&market=0xaa', ['#market-risk', '#debt-at-risk', '#holders']],
  protocol: ['/protocols?protocol=aave', ['#protocol-risk']],
  vault: ['/lending?chain=ethereum&vault=0xf1', ['#vault-risk', '#vault-events']],
  asset: ['/lending?holds=asset:ETH', ['#holders']],
  curator: ['/lending?curator=Careful', ['#vaults']],
  lists: ['/lending', ['#markets']],
} as const;

/** Words that state how it is, and amounts. */
const CLAIMS = {
  market: /fresh|\bopen\b|\$\d|\d %|Nothing that the service knows/,
  protocol: /\$1\.00M\n|Withdrawable now\n\$|Supplied\n\$/,
  vault: /\$\d/,
  asset: /Nothing that the service knows/,
  curator: /0XF1.*\$\d/,
  lists: /0XAA/,
} as const;

/** What the same pages say while nothing is held back. */
const STATES = {
  market: /fresh.*open/s,
  protocol: /Supplied\n\$2\.00M/,
  vault: /Value, by what it holds\s+\$1,000/,
  asset: /0xf2|0xbb/i,
  curator: /0XF1.*\$1,000\.00\t100 %/,
  lists: /0XAA/,
} as const;

browserTest.each(Object.keys(PAGES) as (keyof typeof PAGES)[])(
  'page of %s: what is held back is named, and no state of it is claimed',
  async (name) => {
    const [path, panels] = PAGES[name];
    const text = await service().textAt(path, ...panels);
    expect(text).toContain(REASON);
    expect(text).toMatch(/held back/);
    expect(text).not.toMatch(CLAIMS[name]);
  },
);

browserTest.each(Object.keys(PAGES) as (keyof typeof PAGES)[])(
  'page of %s: at a time at which nothing was held back, it has its state',
  async (name) => {
    const [path, panels] = PAGES[name];
    const text = await service().textAt(
      `${path}${path.includes('?') ? '&' : '?'}as_of=${EARLIER}`,
      ...panels,
    );
    expect(text).toMatch(STATES[name]);
    expect(text).not.toContain(REASON);
    expect(text).not.toMatch(/held back/);
  },
);
