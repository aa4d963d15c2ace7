// What is published and reported of pegged assets whose prices cannot be known: wrong units, answers that are no prices, pools of unknown
// depth. Each case is a small set of files, run through the whole pipeline.
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../../platform/base/json.ts';
import { DAY_S, HOUR_S } from '../../../../platform/base/time.ts';
import { type FileRow, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';

const START = 1_772_323_200;
const STEP_S = 600;

interface Case {
  readonly about: string;
  readonly feeds: readonly FileRow[];
  readonly rounds: readonly FileRow[];
  readonly assets?: readonly Json[];
  /** Seconds after the start; by default, one step after the last round. */
  readonly after?: number;
  /** `<asset_name> <state> <source_status> <deviation_bps>` of every published peg. */
  readonly pegs: readonly string[];
  /** `<type> <subject_id> <seconds after the start>` of every event about pegs and rates. */
  readonly events?: readonly string[];
  readonly code?: number;
}

const feed = (address: string, base: string, more: FileRow = {}): FileRow => ({
  chain: 'ethereum',
  provider: 'chainlink',
  feed_address: address,
  name: `${base} / USD`,
  base,
  quote: 'USD',
  source_kind: 'oracle',
  heartbeat_s: DAY_S,
  deviation_bps: 50,
  decimals: 8,
  observed_at: START - 30 * DAY_S,
  ...more,
});

/** One round every ten minutes from the start on; `from` is the number of the first. */
const rounds = (address: string, prices: readonly number[], decimals = 8, from = 0): readonly FileRow[] =>
  prices.map((price, index) => ({
    chain: 'ethereum',
    feed_address: address,
    round_id: String(300 + from + index),
    answer: String((BigInt(Math.round(price * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n),
    decimals,
    updated_at: START + (from + index) * STEP_S,
  }));

const FLOOR: FileRow = { min_answer: '10000000' };
const FRANC = { symbol: 'COIN', quote: 'USD', kind: 'fiat_other', reference_pair: 'CHF-USD' };
const TWO_PEGS = {
  feeds: [
    feed('0x1', 'COIN'),
    feed('0x2', 'COIN', { quote: 'CHF', name: 'COIN / CHF' }),
    feed('0x3', 'CHF'),
    feed('0x4', 'USDC'),
  ],
  assets: [FRANC, { symbol: 'COIN', quote: 'CHF', kind: 'fiat_other', reference_price: '1' }],
};

const CASES: readonly Case[] = [
  {
    about: 'decimals that change in the registry and in the rounds are no contradiction',
    feeds: [feed('0xa', 'USDC'), feed('0xa', 'USDC', { decimals: 18, observed_at: START + 3 * STEP_S })],
    rounds: [...rounds('0xa', [1, 1, 1]), ...rounds('0xa', [1, 1, 1], 18, 3)],
    pegs: ['USDC pegged live 0'],
  },
  {
    about: 'decimals that change in the registry alone hold the asset back, and no other',
    feeds: [
      feed('0xa', 'USDC'),
      feed('0xa', 'USDC', { decimals: 18, observed_at: START + 3 * STEP_S }),
      feed('0xb', 'USDT'),
    ],
    rounds: [...rounds('0xa', [1, 1, 1, 0.9, 0.9, 0.9]), ...rounds('0xb', [1, 1, 1])],
    pegs: ['USDT pegged live 0'],
    code: 4,
  },
  {
    about: 'one of two pegs of a symbol in wrong units is in no row, also not in that of the other',
    ...TWO_PEGS,
    rounds: [
      ...rounds('0x1', [1.24, 1.24, 1.24]),
      ...rounds('0x2', [0.983, 0.983, 0.983], 6),
      ...rounds('0x3', [1.255, 1.255, 1.255]),
      ...rounds('0x4', [0.96, 0.96, 0.96]),
    ],
    pegs: ['COIN pegged live -120', 'USDC depegged live -400'],
    events: ['peg.depeg.start peg:ethereum:USDC 0'],
    code: 4,
  },
  {
    about: 'a reference in wrong units holds back what is measured by it',
    ...TWO_PEGS,
    rounds: [
      ...rounds('0x1', [1.24, 1.24, 1.24]),
      ...rounds('0x2', [0.983, 0.983, 0.983]),
      ...rounds('0x3', [1.255, 1.255, 1.255], 6),
      ...rounds('0x4', [1, 1, 1]),
    ],
    pegs: ['COIN:chf depegged live -170', 'USDC pegged live 0'],
    events: ['peg.depeg.start peg:ethereum:COIN:chf 600'],
    code: 4,
  },
  {
    about: 'a pool of unknown depth carries no price against three feeds',
    feeds: [
      feed('0x1', 'USDC'),
      feed('0x2', 'USDC', { source_kind: 'venue' }),
      feed('0x3', 'USDC', { source_kind: 'venue' }),
      feed('0xp', 'USDC', { source_kind: 'pool' }),
    ],
    rounds: [
      ...['0x1', '0x2', '0x3'].flatMap((one) => rounds(one, [1, 1, 1])),
      ...rounds('0xp', [0.93, 0.93, 0.93]),
    ],
    pegs: ['USDC pegged live 0'],
  },
  {
    about: 'a feed that falls to its floor says nothing any more',
    feeds: [feed('0xa', 'USDC', FLOOR)],
    rounds: rounds('0xa', [1, 1, 0.1, 0.1]),
    pegs: ['USDC pegged silent 0'],
  },
  {
    about: 'a price just above the floor is one',
    feeds: [feed('0xa', 'USDC', FLOOR)],
    rounds: rounds('0xa', [1, 1, 0.100001, 0.100001]),
    pegs: ['USDC depegged live -9000'],
    events: ['peg.depeg.start peg:ethereum:USDC 1200'],
  },
  {
    about: 'one of two feeds at its floor leaves the other',
    feeds: [feed('0xa', 'USDC', FLOOR), feed('0xb', 'USDC', { source_kind: 'venue' })],
    rounds: [...rounds('0xa', [1, 1, 0.1, 0.1]), ...rounds('0xb', [1, 1, 1, 1])],
    pegs: ['USDC pegged live 0'],
  },
  {
    about: 'a reference that answers 0 leaves nothing to compare with',
    feeds: [feed('0x1', 'COIN'), feed('0x3', 'CHF')],
    rounds: [...rounds('0x1', [1.25, 1.25, 1.25, 1.25]), ...rounds('0x3', [1.255, 1.255, 0, 0])],
    assets: [FRANC],
    pegs: ['COIN pegged silent -40'],
  },
  {
    about: 'nothing recovers while the only feed is at its floor',
    feeds: [feed('0xa', 'USDC', FLOOR)],
    rounds: rounds('0xa', [0.95, 0.95, 1, 1, 0.1, 0.1]),
    after: 20 * HOUR_S,
    pegs: ['USDC pegged silent 0'],
    events: ['peg.depeg.start peg:ethereum:USDC 0', 'peg.depeg.end peg:ethereum:USDC 1800'],
  },
  ...[
    { about: 'for a moment: the recovery comes when the hold is over', outage: [4, 6], recovers: 23_400 },
    {
      about: 'for more than a tenth of the hold: at the next observation that looks back on enough',
      outage: [4, 9],
      recovers: 30_000,
    },
    { about: 'over the end of the hold: when the reference returns', outage: [38, 40], recovers: 24_000 },
  ].map(
    ({ about, outage: [from = 0, to = 0], recovers }): Case => ({
      about: `only the reference turns invalid, ${about}`,
      feeds: [feed('0x1', 'COIN'), feed('0x3', 'CHF')],
      rounds: [
        ...rounds('0x1', [1.2, 1.2, 1.255, 1.255]),
        ...rounds('0x1', [1.255], 8, 50),
        ...rounds('0x3', [1.255]),
        ...rounds('0x3', [0], 8, from),
        ...rounds('0x3', [1.255], 8, to),
      ],
      assets: [FRANC],
      pegs: ['COIN pegged live 0'],
      events: [
        'peg.depeg.start peg:ethereum:COIN 0',
        'peg.depeg.end peg:ethereum:COIN 1800',
        `peg.depeg.recovered peg:ethereum:COIN ${recovers}`,
      ],
    }),
  ),
  {
    about: 'a redemption rate that falls and returns is one anomaly',
    feeds: [feed('0xa', 'NAVE'), feed('0xr', 'RATE')],
    rounds: ['0xa', '0xr'].flatMap((one) => rounds(one, [1.1, 1.1, 0.95, 0.95, 1.1, 1.1])),
    assets: [{ symbol: 'NAVE', quote: 'USD', kind: 'nav', reference_pair: 'RATE-USD' }],
    pegs: ['NAVE pegged live 0'],
    events: [`risk.anomaly anomaly:redemption_rate_drop:ethereum:NAVE:0xr:${START + 1200} 1200`],
  },
];

const REPORTED = /^(peg[.]|risk[.])/;
const models = neededFor({ datasets: ['pegs', 'feeds'], events: ['peg.', 'risk.anomaly'] });

test.each(CASES)('$about', async ({ feeds, rounds: given, assets, after, pegs, events = [], code = 0 }) => {
  const policy = {
    oracle: { is_untracked_reported: true },
    ...(assets === undefined ? {} : { peg: { assets } }),
  };
  const world = openFileWorld({ domains: models, policy });
  onTestFinished(() => world.remove());
  world.write('feed_registry', { 'rows.ndjson': feeds });
  world.write('feed_round', { 'rows.ndjson': given });
  const last = Math.max(...given.map((round) => Number(round['updated_at'])));
  expect(await world.run(after === undefined ? last + STEP_S : START + after)).toBe(code);
  const documents = world.documents('pegs');
  const seen = documents.map(({ key, value }) => {
    const { state, source_status, deviation_bps } = value as { readonly [field: string]: Json };
    return `${key.split('|')[1]} ${state} ${source_status} ${deviation_bps}`;
  });
  expect(seen).toEqual(pegs);
  const shown = new Set(documents.map(({ key }) => key.split('|')[1]));
  for (const { value } of documents)
    for (const other of (value as { readonly other_pegs: readonly { readonly asset_name: string }[] })
      .other_pegs)
      expect(shown).toContain(other.asset_name);
  const reported = publishedEvents(world.dir)
    .map(({ value }) => value)
    .filter(({ type }) => REPORTED.test(type))
    .map(({ type, subject_id, ts }) => `${type} ${subject_id} ${Date.parse(ts) / 1000 - START}`);
  expect(reported).toEqual(events);
});

test('a price from a feed that has gone back to a lower round id is doubted by its event, its row and the gate', async () => {
  const world = openFileWorld({ domains: models, policy: { oracle: { is_untracked_reported: true } } });
  onTestFinished(() => world.remove());
  world.write('feed_registry', { 'rows.ndjson': [feed('0xa', 'USDC')] });
  const [old] = rounds('0xa', [0.95], 8, 2);
  world.write('feed_round', { 'rows.ndjson': [...rounds('0xa', [1, 1]), { ...old, round_id: '100' }] });
  expect(await world.run(START + 3 * STEP_S)).toBe(0);
  const [start] = publishedEvents(world.dir).map(({ value }) => value);
  expect(start).toMatchObject({ type: 'peg.depeg.start', data_quality: 'degraded' });
  expect(JSON.stringify(start)).toContain('round_went_back');
  const [peg] = world.documents('pegs');
  expect(peg?.value).toMatchObject({ doubts: expect.arrayContaining(['round_went_back']) });
  expect(world.words('feeds')).toContain(
    '1 of 1 feeds have gone back to a lower round id: USDC-USD on ethereum',
  );
});
