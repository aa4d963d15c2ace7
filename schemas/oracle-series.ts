// Pegged assets and feeds as lists, and their histories.
import { IsoTime, Nullable, Strict, Type } from './define.ts';
import type { EventDoubt } from './event-doubts.ts';
import { INVALID_REASONS, PegSourceData } from './oracles.ts';
import { flag, number, type SeriesDefinition, steady } from './series.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const figure = (description: string) => Nullable(Type.Number({ description }));

/** What can be wrong with the price of a peg, in this order. */
const PEG_DOUBTS = [
  'pools_only',
  'reference_new',
  'round_went_back',
  'single_source',
  'source_lags',
  'sources_disagree',
  'thin_pools_disagree',
] as const satisfies readonly EventDoubt[];

const PegState = Type.Enum(['pegged', 'disputed', 'depegged', 'unknown'], {
  description:
    '`disputed`: a source has stayed beyond the threshold, and that is no depeg by the price or the policy',
});

export const PegSchema = Strict({
  chain: text('Chain name'),
  asset_name: text(
    'Name in paths and subjects: the symbol; `<symbol>:<id>` if several assets share it; with `:<quote>` for a further peg of one asset',
  ),
  symbol: text('Symbol of the asset'),
  quote: text('What it is pegged to'),
  asset_id: maybeText('Address or configured id'),
  kind: text('Kind of peg, which decides the thresholds'),
  is_downside_only: Type.Boolean({ description: 'Only a price below the reference is off the peg' }),
  price: maybeText('Last observed price, in units of the quote; null without one in seven days'),
  reference_price: maybeText('Reference price'),
  deviation_bps: figure('Distance from the reference, basis points; negative below it'),
  enter_bps: figure('Distance from the reference at which a depeg starts'),
  exit_bps: figure('Distance from the reference at which a depeg ends'),
  sources: Nullable(Type.Integer({ minimum: 0, description: 'Live sources of that price' })),
  spread_bps: figure('Distance between the lowest and the highest source'),
  is_disputed: Nullable(Type.Boolean({ description: 'The sources disagree about the threshold' })),
  no_price_reason: Nullable(
    Type.Enum(['no_source', 'only_pools', 'no_reference', 'no_answer'], {
      description:
        'Why there is no price: no usable source; only pools, fewer than two of them deep enough; no source of the reference; no answer in seven days. Null with a price',
    }),
  ),
  doubts: Type.Array(Type.Enum([...PEG_DOUBTS]), { description: 'Reasons to doubt that price' }),
  // Closed, so that the columnar forms have a column for each member.
  source_prices: Type.Array(Strict({ ...PegSourceData.properties }), {
    description: 'Every live source of that price, by descending weight, thin pools last',
  }),
  state: PegState,
  source_status: Type.Enum(['live', 'silent', 'unknown'], {
    description:
      'Whether a source covers the present; silent also once every source, or every one of the reference, answers with an invalid price',
  }),
  since: Nullable(IsoTime('Last time at which it left its peg, came to be disputed, or came back')),
  observed_at: Nullable(IsoTime('Time of the last observation')),
  other_pegs: Type.Array(
    Strict({
      asset_name: Type.String(),
      quote: Type.String(),
      state: PegState,
      deviation_bps: figure('Distance from the reference, basis points; negative below it'),
    }),
    { description: 'Other pegs of the symbol on the chain, worst first' },
  ),
});

/** Reasons why a feed is not fresh, those of an invalid last round first. */
const FEED_STATUS_REASONS = [
  ...INVALID_REASONS,
  'not_registered',
  'refused',
  'not_delivered',
  'no_rounds',
  'no_heartbeat',
  'hours_unknown',
  'never_answered',
  'market_closed',
  'no_update',
  'not_read',
  'not_judged',
] as const;

export const FeedSchema = Strict({
  chain: text('Chain name'),
  feed_address: text('Address of the feed'),
  provider: maybeText('Oracle provider; null if the feed is in no registry'),
  pair: maybeText('`<BASE>-<QUOTE>`'),
  base: maybeText('Base of the pair'),
  quote: maybeText('Quote of the pair'),
  category: maybeText('Category of the classification'),
  heartbeat_s: Nullable(
    Type.Integer({ minimum: 1, description: 'Maximum time between two answers, seconds' }),
  ),
  deviation_bps: figure('Price move that triggers an answer, basis points'),
  decimals: Nullable(Type.Integer({ minimum: 0, description: 'Decimals of its answers' })),
  market_hours: maybeText('Opening hours of its market'),
  risk_level: maybeText('Risk level of the classification'),
  status: Type.Enum(['fresh', 'stale', 'unverifiable', 'unknown']),
  status_reason: Nullable(
    Type.Enum([...FEED_STATUS_REASONS], {
      description:
        'Why it is not fresh: its last round is invalid (no_answer, not_positive, answered_earlier, at_bound), none of its rounds is known (refused, not_delivered), or the silence cannot be judged. Null if it is fresh',
    }),
  ),
  doubts: Type.Array(Type.Enum(['round_went_back']), {
    description: '`round_went_back`: the last answer has a lower id than an earlier one of its phase',
  }),
  price: figure('Last valid answer'),
  last_update_at: Nullable(IsoTime('Time of the last valid answer')),
  rounds: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'Valid answers on record; null if its rounds were refused or not delivered',
    }),
  ),
  invalid_rounds: Nullable(
    Type.Integer({ minimum: 0, description: 'Invalid answers on record; null like rounds' }),
  ),
  min_price: figure(
    'Lowest answer that the feed can give: an answer at it is no price. Null if it is unknown',
  ),
  max_price: figure('Highest answer that the feed can give. Null if it is unknown'),
  bounds_since: Nullable(
    IsoTime(
      'Time at which the contract was first read with these bounds; they hold until others are read. Null if the registry states them, or if they are unknown',
    ),
  ),
});

export const PEG_SERIES: SeriesDefinition = {
  dataset: 'pegs',
  grain: 'observed',
  columns: {
    price: number(null, 'Observed price in units of the quote'),
    reference: steady(null, 'Reference price'),
    deviation_bps: number('bps', 'Distance from the reference'),
    enter_bps: steady('bps', 'Distance from the reference at which a depeg starts'),
    exit_bps: steady('bps', 'Distance from the reference at which a depeg ends'),
    sources: steady(null, 'Live sources of the price'),
    spread_bps: number('bps', 'Distance between the lowest and the highest source'),
    is_depegged: flag('Off its peg after this observation'),
  },
};

export const FEED_SERIES: SeriesDefinition = {
  dataset: 'feeds',
  grain: 'observed',
  columns: {
    price: number(null, 'Answer; null if invalid'),
    is_valid: flag('Whether the answer is valid'),
  },
};
