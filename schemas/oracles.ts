// Oracle feeds as published: the list of pairs of a provider and the weekly parameters of a pair (4.16, 4.17; decisions 10 and 11); and
// the events about feeds and pegs.
import { DecimalString, IsoTime, Nullable, Strict, Type, UnixSeconds } from './define.ts';
import { type EventType, eventType, Growing, MADE_UP_SECONDS, sampleOf } from './event.ts';
import { EVENTS_ACCESS } from './plans.ts';

/** Freshness of a feed (decision 12): unverifiable without a known heartbeat or while its market is closed. */
export const FEED_VERDICTS = ['fresh', 'stale', 'unverifiable', 'unknown'] as const;

/** Kind of a price source: an oracle's own aggregate, one venue, or the rate of one pool. */
export const PRICE_SOURCE_KINDS = ['oracle', 'venue', 'pool'] as const;
export type PriceSourceKind = (typeof PRICE_SOURCE_KINDS)[number];

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Price = (description: string) => Nullable(Type.Number({ description: `${description}, in the quote` }));

export const OraclePairSchema = Strict({
  pair: Type.String({ description: '`<BASE>-<QUOTE>` in upper case', examples: ['ETH-USD'] }),
  base: Type.String({ description: 'Base symbol in upper case' }),
  quote: Type.String({ description: 'Quote symbol in upper case' }),
  chain: Type.String({ description: 'Chain name' }),
  feed_address: Type.String({
    description: 'Address of the feed on its chain, or its id if it has no address',
  }),
  category: Type.String({
    description: 'What the feed reports; `unclassified` if the registry does not state it',
  }),
  heartbeat_s: Nullable(
    Type.Integer({ minimum: 1, description: 'Maximum time between two updates, seconds' }),
  ),
  deviation_bps: Nullable(
    Type.Number({ minimum: 0, description: 'Price move that triggers an update, basis points' }),
  ),
  decimals: Nullable(Type.Integer({ minimum: 0, description: 'Decimals of an answer' })),
  market_hours: Type.String({
    description: 'Market whose opening hours the feed follows; `crypto` never closes',
  }),
  last_update_at: Nullable(IsoTime('Time of the last valid answer')),
  status: Type.Enum([...FEED_VERDICTS]),
});

/** One UTC day of one feed. */
export const OracleParameterSchema = Strict({
  timestamp: IsoTime('00:00 of the day'),
  chain: Type.String({ description: 'Chain name' }),
  feed_address: Type.String({ description: 'Address of the feed, of which several may share the pair' }),
  updates: Count('Valid answers on the day'),
  avg_interval_s: Nullable(
    Type.Number({ minimum: 0, description: 'Mean time between consecutive answers, seconds' }),
  ),
  max_gap_s: Nullable(Count('Longest time between consecutive answers that ended on the day, seconds')),
  heartbeat_breaches: Nullable(
    Count(
      'Number of such times longer than heartbeat and grace; null without a heartbeat, for a market that closes, and on a day without a valid answer',
    ),
  ),
  deviation_triggers: Nullable(
    Count("Answers that moved by the feed's deviation or more; null without a deviation of at least .01"),
  ),
  price: Strict({
    min: Price('Lowest answer'),
    max: Price('Highest answer'),
    avg: Price('Mean of the answers'),
    last: Price('Last answer'),
  }),
  max_deviation_bps: Nullable(
    Type.Number({ minimum: 0, description: 'Largest move from one answer to the next, basis points' }),
  ),
  volatility: Nullable(
    Type.Number({
      minimum: 0,
      description: 'Sample standard deviation of the log returns of the day, not annualised',
    }),
  ),
});

const text = (description: string) => Type.String({ description });
const chain = text('Chain name');
const market_id = text('Market that the feed backs; the feed’s pair if no market is tracked');
const oracle_address = text('Address of the feed');

const Fingerprint = Strict({
  category: Type.String(),
  provider: Type.String(),
  staleness_status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown']),
  risk_level: Type.String(),
  edge_case_flags: Type.Array(Type.String(), { description: 'Sorted' }),
});

/** Why a round is invalid. */
export const INVALID_REASONS = ['no_answer', 'not_positive', 'answered_earlier', 'at_bound'] as const;

export const OracleData = Growing({
  chain,
  oracle_address,
  market_id,
  reason: Type.Optional(
    Type.Enum([...INVALID_REASONS], {
      description:
        'Never answered, not above 0, computed in an earlier round, or at a bound of what the feed can give',
    }),
  ),
  round_id: Type.Optional(text('Id of the round')),
});

export const OracleStaleData = Growing({
  chain,
  oracle_address,
  market_id,
  stale_age_s: Type.Integer({ minimum: 1, description: 'Seconds past heartbeat and grace' }),
});

export const OracleClassificationData = Growing({
  chain,
  oracle_address,
  market_id,
  previous: Fingerprint,
  current: Fingerprint,
});

const asset_id = Type.Optional(Nullable(text('Address or id of the pegged asset, if its source has one')));

export const PegSourceData = Growing({
  oracle_address: text('Address of the feed'),
  source_kind: Type.Enum([...PRICE_SOURCE_KINDS]),
  price: DecimalString('Latest answer of the feed, in the quote'),
  deviation_bps: Type.Integer({
    description: 'Deviation from the reference, basis points; negative below it',
  }),
  is_beyond: Type.Boolean({ description: 'Whether it is beyond the effective enter threshold' }),
  answered_at: UnixSeconds('Time of that answer'),
  age_s: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Age of that answer at the observation, seconds' }),
  ),
  is_lagging: Type.Optional(
    Type.Boolean({
      description:
        'Whether it has not answered while another source moved by several times its deviation threshold',
    }),
  ),
  depth: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        description: 'Of a pool: what it holds of the asset, in the quote; null if that is not known',
      }),
    ),
  ),
  is_thin: Type.Optional(
    Type.Boolean({
      description: 'A pool below the minimum depth, or of unknown depth: it carries no price and only doubts',
    }),
  ),
});

export const PegData = Growing({
  asset_symbol: text('Symbol of the pegged asset'),
  asset_id,
  chain,
  oracle_address: text('Address of the feed whose answer made the observation'),
  peg_kind: text('Class of the peg'),
  observed_feed: text('Pair of the observed feed'),
  deviation_bps: Type.Integer({
    description: 'Deviation from the reference, basis points; negative below it',
  }),
  worst_deviation_bps: Type.Optional(
    Type.Integer({ description: 'Deviation of the farthest source that carries a price, basis points' }),
  ),
  basis: Type.Optional(
    Type.Enum(['centre', 'source'], {
      description:
        'Of a start: whether the observed price is off its peg, or only one source is (decision 80)',
    }),
  ),
  reference_price: DecimalString('Reference price in the quote'),
  observed_price: DecimalString('Observed price in the quote: the centre of all live sources'),
  block_number: Nullable(Type.Integer({ minimum: 0, description: 'Block of the observation, if known' })),
  block_timestamp: UnixSeconds('Time of the observation'),
  tx_hash: Type.Optional(Nullable(text('Transaction of the answer, if known'))),
  log_index: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, description: 'Index of its log in the block, if known' })),
  ),
  spread_bps: Type.Optional(
    Nullable(
      Type.Number({
        description:
          'Distance from the lowest to the highest source, relative to the observed price, basis points',
      }),
    ),
  ),
  sources: Type.Optional(
    Type.Array(PegSourceData, { description: 'Every live source, by descending weight, thin pools last' }),
  ),
  enter_bps: Type.Number({ description: 'Deviation at which the policy defines a depeg' }),
  effective_enter_bps: Type.Number({
    description: "That deviation, or the feed's own deviation band plus a margin if that is wider",
  }),
});

export const PegRecoveredData = Growing({
  asset_symbol: text('Symbol of the pegged asset'),
  asset_id,
  chain,
});

const ORACLE = 'oracle:<chain>:<feed>:<market>';
/** If assets of one chain share a symbol, all but one are `<symbol>:<address>`; further pegs of one asset end with `:<quote>`. */
const PEG = 'peg:<chain>:<symbol>';

const FEED = '0x00000000000000000000000000000000000000fe';
const SAMPLE_FEED = `oracle:ethereum:${FEED}:SAMPLE-USD`;
const SAMPLE_PEG = 'peg:ethereum:SAMPLE';
const reading = { chain: 'ethereum', oracle_address: FEED, market_id: 'SAMPLE-USD' };
const fingerprint = {
  category: 'price',
  provider: 'sample',
  staleness_status: 'fresh',
  risk_level: 'low',
  edge_case_flags: [],
};
const peg = {
  asset_symbol: 'SAMPLE',
  chain: 'ethereum',
  oracle_address: FEED,
  peg_kind: 'fiat_usd',
  observed_feed: 'SAMPLE-USD',
  deviation_bps: -150,
  worst_deviation_bps: -150,
  reference_price: '1',
  observed_price: '0.985',
  block_number: 24_000_000,
  block_timestamp: MADE_UP_SECONDS,
  enter_bps: 100,
  effective_enter_bps: 100,
  spread_bps: 0,
  sources: [
    {
      oracle_address: FEED,
      source_kind: 'oracle',
      price: '0.985',
      deviation_bps: -150,
      is_beyond: true,
      answered_at: MADE_UP_SECONDS,
      age_s: 0,
      is_lagging: false,
      depth: null,
      is_thin: false,
    },
  ],
};

export const EVENTS: readonly EventType[] = [
  {
    type: 'oracle.stale',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'by age past heartbeat and grace: under 10 minutes, from 10 minutes, from 60 minutes',
    summary: 'An oracle feed has not updated within its freshness threshold',
    subject: ORACLE,
    data: OracleStaleData,
    sample: sampleOf('warn', SAMPLE_FEED, { ...reading, stale_age_s: 300 }),
  },
  eventType('oracle.classification.changed', 'warn', {
    summary: 'The classification of a feed changed',
    subject: ORACLE,
    data: OracleClassificationData,
    sample: [
      SAMPLE_FEED,
      {
        ...reading,
        previous: fingerprint,
        current: { ...fingerprint, risk_level: 'high', edge_case_flags: ['paused'] },
      },
    ],
  }),
  eventType('oracle.feed.invalid', 'high', {
    summary:
      'A feed returned an invalid reading: not above 0, never answered, of an earlier round, or at its bound',
    subject: ORACLE,
    data: OracleData,
    sample: [SAMPLE_FEED, { ...reading, reason: 'not_positive', round_id: '1' }],
  }),
  {
    type: 'peg.depeg.start',
    severities: ['warn', 'high'],
    severity_rule:
      'warn while the sources of the price disagree about the threshold; high once they agree, which after a warning is a separate event',
    summary: 'The observed price, or one of its sources, crossed the depeg threshold against the reference',
    subject: PEG,
    data: PegData,
    sample: sampleOf('high', SAMPLE_PEG, { ...peg, basis: 'centre' }),
  },
  eventType('peg.depeg.end', 'info', {
    summary: 'A depegged asset returned inside its threshold band',
    subject: PEG,
    data: PegData,
    sample: [
      SAMPLE_PEG,
      {
        ...peg,
        deviation_bps: -20,
        worst_deviation_bps: -20,
        observed_price: '0.998',
        sources: peg.sources.map((one) => ({ ...one, price: '0.998', deviation_bps: -20, is_beyond: false })),
      },
    ],
  }),
  eventType('peg.depeg.recovered', 'info', {
    summary: 'An asset stayed inside its band for the required time after a depeg ended',
    subject: PEG,
    data: PegRecoveredData,
    sample: [SAMPLE_PEG, { asset_symbol: 'SAMPLE', chain: 'ethereum' }],
  }),
];

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'detector-state': EVENTS_ACCESS,
};
