// Markets with their oracles, feeds and answers over some hours, and what the models make of them.
import type { CaseRow } from '../../../support/case-file.ts';
import { type Oracle, rowsOf } from './oracle-of.ts';
import { landedLegs, landedPrices, NOW, type PathModels } from './path-models.ts';

export interface Answer {
  readonly feed: string;
  readonly at: number;
  readonly price: number;
}
export interface Story {
  readonly oracles: readonly Oracle[];
  /** Times, before now in seconds, at which every oracle is read, with the same answer. */
  readonly read?: readonly number[];
  /** Feeds of the registry by address: pair and deviation in basis points. */
  readonly feeds: { readonly [address: string]: readonly [base: string, quote: string, deviation?: number] };
  readonly answers: readonly Answer[];
  readonly debt?: number;
  /** Borrowers of every market, as shares of the debt at the liquidation limit after a fall. */
  readonly falls?: readonly number[];
  /** A vault that holds this share of the supply of every market. */
  readonly vaultShare?: number;
  /** Oracles as they are read once more, ten minutes ago. */
  readonly later?: readonly Oracle[];
  readonly events?: readonly string[];
  /** Whole days that are computed before the day of now; one by default. */
  readonly days?: number;
}

const CHAIN = 'ethereum';
const DAY = NOW - (NOW % 86_400);

const registry = ({ feeds }: Story): CaseRow[] =>
  Object.entries(feeds).map(([feed_address, [base, quote, deviation_bps = 50]]) => ({
    chain: CHAIN,
    feed_address,
    base,
    quote,
    pair: `${base}-${quote}`,
    category: 'unclassified',
    heartbeat_s: 86_400,
    deviation_bps,
    decimals: 8,
    source_kind: 'oracle',
    is_deprecating: false,
    valid_from: 0,
    valid_to: 253402300799,
  }));

const answered = ({ feed: feed_address, at, price }: Answer, index: number): CaseRow => ({
  chain: CHAIN,
  feed_address,
  round_id: String(index + 1),
  observed_at: NOW - at,
  is_valid: true,
  price,
});

const EVENT_MODELS = [
  'derived.assumption_edge_market',
  'derived.assumption_level',
  'derived.assumption_edge',
  'derived.oracle_path_change',
];

const MODELS = [
  'obs.oracle_leg',
  'obs.oracle_price',
  'derived.oracle_path_leg',
  'derived.oracle_balance',
  'derived.oracle_reading',
  'derived.oracle_path_span',
  'derived.path_assumption',
  'derived.assumption_test',
  'derived.assumption_band',
  'derived.path_quote',
  'derived.assumption_instant',
  'derived.assumption_price',
  'derived.assumption_observation',
  'derived.assumption_step',
  'derived.oracle_point',
  'derived.assumption_state',
  'derived.oracle_path',
  'out.oracle_path',
];

const LLTV = 0.86;

/** One borrower at each fall, with equal debts. */
const tranchesOf = ({ falls = [], debt = 5e6 }: Story, market_id: string): CaseRow[] =>
  falls.map((fall) => ({
    chain: CHAIN,
    market_id,
    observed_at: NOW - 7_200,
    fall_from: fall,
    fall_to: fall,
    debt_usd: debt / falls.length,
    collateral_usd: debt / falls.length / LLTV / (1 - fall),
    price_basis: 'oracle',
  }));

const holdingOf = ({ vaultShare, debt = 5e6 }: Story, market_id: string): CaseRow[] =>
  vaultShare === undefined
    ? []
    : [
        {
          node: 'vault:ethereum:0xva',
          held_node: `market:${CHAIN}:${market_id}`,
          held_kind: 'market',
          observed_at: NOW - 7_200,
          value_usd: debt * vaultShare,
          share: 0.5,
        },
      ];

async function tellLending(models: PathModels, story: Story): Promise<void> {
  const ids = story.oracles.map(({ market_id }) => market_id);
  const borrowed = { chain: CHAIN, borrowed_usd: story.debt ?? 5e6, utilization: 1, borrow_apr_pct: 36.5 };
  await models.fill(
    'obs.borrower_tranche',
    ids.flatMap((id) => tranchesOf(story, id)),
  );
  await models.fill(
    'obs.vault_allocation',
    ids.flatMap((id) => holdingOf(story, id)),
  );
  await models.fill(
    'derived.market_day',
    ids.map((market_id) => ({ ...borrowed, market_id, day: DAY })),
  );
  await models.fill(
    'obs.market_state',
    ids.map((market_id) => ({
      ...borrowed,
      market_id,
      observed_at: NOW - 7_000,
      supplied_usd: story.debt ?? 5e6,
    })),
  );
}

async function tell(models: PathModels, story: Story): Promise<void> {
  const times = story.read ?? [7_200, 3_600, 600];
  const rows = story.oracles.flatMap((oracle) =>
    times.map((before) => rowsOf({ ...oracle, at: NOW - before })),
  );
  rows.push(...(story.later ?? []).map((oracle) => rowsOf({ ...oracle, at: NOW - 600 })));
  const markets = new Map(rows.map(({ market }) => [market['market_id'], market]));
  await models.fill('derived.feed', registry(story));
  await models.fill('derived.feed_version', registry(story));
  await models.fill('derived.feed_answer', story.answers.map(answered));
  await models.fill('derived.lending_market', [...markets.values()]);
  await tellLending(models, story);
  await models.fill('landing.oracle_leg', await landedLegs(rows.flatMap(({ legs }) => legs)));
  await models.fill('landing.oracle_price', await landedPrices(rows.map(({ header }) => header)));
  await models.fill('derived.assumption_step', []);
  await models.compute(MODELS, NOW, story.days);
}

export async function unfold(models: PathModels, story: Story) {
  await tell(models, story);
  const edges = await models.rows(
    `select assumption_id, observed_at, edge from derived.assumption_step where edge is not null order by observed_at, assumption_id`,
  );
  const events: CaseRow[] = [];
  for (const type of story.events ?? []) {
    await models.compute(EVENT_MODELS, NOW, story.days);
    events.push(...(await models.rows(await models.sqlOf(`event.${type}`, NOW, story.days))));
  }
  const paths = await models.rows('select * from out.oracle_path');
  const states = await models.rows('select * from derived.assumption_state');
  return {
    events,
    edges: edges.map(
      ({ assumption_id, observed_at, edge }) => `${edge} ${assumption_id} ${NOW - Number(observed_at)}`,
    ),
    path: (id: string) => paths.find(({ market_id }) => market_id === id) ?? {},
    state: (id: string) => states.find(({ assumption_id }) => assumption_id === id) ?? {},
  };
}
