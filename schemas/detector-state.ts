// The state that the detectors of pegs resume from, as published: anyone can compute from it which events other prices would set off.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FEED_VERDICTS, PRICE_SOURCE_KINDS } from './oracles.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const StateFeedSchema = Strict({
  feed_address: Type.String({ description: 'Address of the feed on the chain' }),
  provider: Type.String({ description: 'Provider of the feed' }),
  base: Type.String({ description: 'Base symbol in upper case' }),
  quote: Type.String({ description: 'Quote symbol in upper case' }),
  asset_id: Nullable(Type.String({ description: 'Address of the base asset, if the registry has one' })),
  source_kind: Type.Enum([...PRICE_SOURCE_KINDS]),
  pool_units: Nullable(
    Type.Number({ minimum: 0, description: 'What the pool holds of the asset, in whole units, if known' }),
  ),
  heartbeat_s: Nullable(
    Type.Integer({ minimum: 1, description: 'Maximum time between two updates, seconds' }),
  ),
  deviation_bps: Nullable(
    Type.Number({ minimum: 0, description: 'Price move that triggers an update, basis points' }),
  ),
  market_hours: Type.String({
    description: 'Market whose opening hours the feed follows; `crypto` never closes',
  }),
  first_at: UnixSeconds('Time of the first valid answer'),
  last_at: UnixSeconds('Time of the last valid answer'),
  round_id: Type.String({ description: 'Round of the last valid answer' }),
  answer: Type.String({ description: 'Last valid answer as the feed reported it' }),
  decimals: Type.Integer({ minimum: 0, description: 'Decimals of the answer' }),
  price: Type.Number({ description: 'The answer as a number' }),
  status: Type.Enum([...FEED_VERDICTS]),
});

/** Dataset `detector-state`, key `<chain>|<asset_name>|<quote>`. */
export const DetectorStateSchema = Strict({
  subject_id: Type.String({ description: 'Subject of the asset’s events, `peg:<chain>:<asset_name>`' }),
  chain: Type.String({ description: 'Chain name' }),
  asset_name: Type.String({
    description:
      'Symbol, `<SYMBOL>:<id>` if several assets share it, with `:<quote>` for a further peg of one asset',
  }),
  symbol: Type.String({ description: 'Symbol of the pegged asset' }),
  quote: Type.String({ description: 'Symbol that its price is quoted in' }),
  asset_id: Nullable(Type.String({ description: 'Address of the asset, if its source has one' })),
  observed_at: UnixSeconds('Time of the last observation, or of the last midnight'),
  zone: Type.Enum(['inside', 'between', 'beyond'], { description: 'Zone of the last observed price' }),
  run_length: Count('Consecutive observations in that zone'),
  run_started_at: UnixSeconds('Time of the first of these observations'),
  worst_zone: Type.Enum(['inside', 'between', 'beyond'], { description: 'Zone of the farthest source' }),
  worst_run_length: Count('Consecutive observations with the farthest source in that zone'),
  worst_run_started_at: UnixSeconds('Time of the first of these observations'),
  level: Type.Integer({
    minimum: 0,
    maximum: 2,
    description: '0: on its peg. 1: depegged, while its sources disagree. 2: depegged, and they agreed',
  }),
  is_depegged: Type.Boolean({ description: 'A depeg has started and not ended' }),
  is_doubted: Type.Boolean({ description: 'A source has stayed beyond the threshold, and not all are back' }),
  is_open: Type.Boolean({ description: 'Depegged or doubted: a start event has no end yet' }),
  since_at: Nullable(UnixSeconds('Time at which the last depeg or doubt started or ended')),
  sources: Count('Live sources of the last observation'),
  live_feeds: Type.Array(Type.String(), { description: 'Addresses of the live sources, sorted' }),
  covers_to: Nullable(UnixSeconds('Last second at which one of them is live without another answer')),
  ended_at: Nullable(UnixSeconds('Time at which the depeg that it recovers from ended')),
  is_in_stay: Nullable(
    Type.Boolean({ description: 'Whether it has stayed inside its exit band since then' }),
  ),
  stay_started_at: Nullable(UnixSeconds('Start of the unbroken stay inside the band')),
  recovered_at: Nullable(UnixSeconds('Time of the recovery')),
  feeds: Type.Array(StateFeedSchema, {
    description: 'Feeds that price the asset or its reference, by address',
  }),
});
export type DetectorState = Static<typeof DetectorStateSchema>;
