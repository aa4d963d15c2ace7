// What the detectors of pegs continue from, as published: anyone can say with it which events other prices would set off.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FEED_VERDICTS, PRICE_SOURCE_KINDS } from './oracles.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const StateFeedSchema = Strict({
  feed_address: Type.String({ description: 'Address of the feed on the chain' }),
  provider: Type.String({ description: 'Provider of the feed' }),
  base: Type.String({ description: 'Base symbol in upper case' }),
  quote: Type.String({ description: 'Quote symbol in upper case' }),
  asset_id: Nullable(Type.String({ description: 'Address of the base asset, where the registry gives one' })),
  source_kind: Type.Enum([...PRICE_SOURCE_KINDS]),
  heartbeat_s: Nullable(
    Type.Integer({ minimum: 1, description: 'Longest time between two updates, seconds' }),
  ),
  deviation_bps: Nullable(
    Type.Number({ minimum: 0, description: 'Price move that triggers an update, basis points' }),
  ),
  market_hours: Type.String({ description: 'Market whose hours the feed keeps; `crypto` never closes' }),
  first_at: UnixSeconds('Time of its first valid answer'),
  last_at: UnixSeconds('Time of its last valid answer'),
  round_id: Type.String({ description: 'Round of that answer' }),
  answer: Type.String({ description: 'That answer, as the feed gave it' }),
  decimals: Type.Integer({ minimum: 0, description: 'Decimals of the answer' }),
  price: Type.Number({ description: 'The answer as a number' }),
  status: Type.Enum([...FEED_VERDICTS]),
});

/** Dataset `detector-state`, key `<chain>|<asset_name>|<quote>`. */
export const DetectorStateSchema = Strict({
  subject_id: Type.String({ description: 'Subject of its events, `peg:<chain>:<asset_name>`' }),
  chain: Type.String({ description: 'Chain name' }),
  asset_name: Type.String({ description: 'Symbol, or `<SYMBOL>:<id>` where assets share it' }),
  symbol: Type.String({ description: 'Symbol of the pegged asset' }),
  quote: Type.String({ description: 'Symbol that its price is quoted in' }),
  asset_id: Nullable(Type.String({ description: 'Address of the asset, where its source gives one' })),
  observed_at: UnixSeconds('Time of the last observation, or of the last midnight'),
  zone: Type.Enum(['inside', 'between', 'beyond'], { description: 'Where the last observed price is' }),
  run_length: Count('Consecutive observations in that zone'),
  run_started_at: UnixSeconds('Time of the first of them'),
  level: Type.Integer({
    minimum: 0,
    maximum: 2,
    description: '0: on its peg. 1: depegged, while its sources disagree. 2: depegged, and they agreed',
  }),
  is_depegged: Type.Boolean({ description: 'A depeg has started and not ended' }),
  since_at: Nullable(UnixSeconds('When the last depeg started or ended')),
  sources: Count('Live sources of the last observation'),
  live_feeds: Type.Array(Type.String(), { description: 'Their addresses, sorted' }),
  covers_to: Nullable(UnixSeconds('Last second that one of them covers if none answers again')),
  ended_at: Nullable(UnixSeconds('When the depeg ended that it recovers from')),
  is_in_stay: Nullable(Type.Boolean({ description: 'It is inside its exit band since then' })),
  stay_started_at: Nullable(UnixSeconds('Since when it is there without a break')),
  recovered_at: Nullable(UnixSeconds('When it recovered')),
  feeds: Type.Array(StateFeedSchema, {
    description: 'Feeds that price the asset or its reference, by address',
  }),
});
export type DetectorState = Static<typeof DetectorStateSchema>;
