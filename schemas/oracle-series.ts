// Pegged assets and feeds as lists, and their histories.
import { IsoTime, Nullable, Strict, Type } from './define.ts';
import { flag, number, type SeriesDefinition, steady } from './series.ts';

const text = (description: string) => Type.String({ description });
const maybeText = (description: string) => Nullable(text(description));
const figure = (description: string) => Nullable(Type.Number({ description }));

export const PegSchema = Strict({
  chain: text('Chain name'),
  asset_name: text('Name in paths and subjects: the symbol, or `<symbol>:<id>` if several assets share it'),
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
  state: Type.Enum(['pegged', 'depegged', 'unknown']),
  source_status: Type.Enum(['live', 'silent', 'unknown'], {
    description: 'Whether a source covers the present',
  }),
  since: Nullable(IsoTime('Last time at which it left its peg or came back')),
  observed_at: Nullable(IsoTime('Time of the last observation')),
});

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
  price: figure('Last valid answer'),
  last_update_at: Nullable(IsoTime('Time of the last valid answer')),
  rounds: Type.Integer({ minimum: 0, description: 'Valid answers on record' }),
  invalid_rounds: Type.Integer({ minimum: 0, description: 'Invalid answers on record' }),
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
