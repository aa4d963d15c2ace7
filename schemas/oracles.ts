// Oracle feeds as published: the list of pairs of a provider and the weekly parameters of a pair (4.16, 4.17; decisions 10 and 11).
import { IsoTime, Nullable, Strict, Type } from './define.ts';

/** Freshness of a feed (decision 12): unverifiable without a known heartbeat or while its market is closed. */
export const FEED_VERDICTS = ['fresh', 'stale', 'unverifiable', 'unknown'] as const;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Price = (description: string) => Nullable(Type.Number({ description: `${description}, in the quote` }));

export const OraclePairSchema = Strict({
  pair: Type.String({ description: '`<BASE>-<QUOTE>` in upper case', examples: ['ETH-USD'] }),
  base: Type.String({ description: 'Base symbol in upper case' }),
  quote: Type.String({ description: 'Quote symbol in upper case' }),
  chain: Type.String({ description: 'Chain name' }),
  feed_address: Type.String({
    description: 'Address of the feed on its chain, or its id where it has no address',
  }),
  category: Type.String({
    description: 'What the feed reports; `unclassified` when the registry does not say',
  }),
  heartbeat_s: Nullable(
    Type.Integer({ minimum: 1, description: 'Longest time between two updates, seconds' }),
  ),
  deviation_bps: Nullable(
    Type.Number({ minimum: 0, description: 'Price move that triggers an update, basis points' }),
  ),
  decimals: Nullable(Type.Integer({ minimum: 0, description: 'Decimals of an answer' })),
  market_hours: Type.String({ description: 'Market whose hours the feed keeps; `crypto` never closes' }),
  last_update_at: Nullable(IsoTime('Time of the last valid answer')),
  status: Type.Enum([...FEED_VERDICTS]),
});

/** One UTC day of one feed. */
export const OracleParameterSchema = Strict({
  timestamp: IsoTime('00:00 of the day'),
  chain: Type.String({ description: 'Chain name' }),
  feed_address: Type.String({ description: 'Which of the feeds that share the pair' }),
  updates: Count('Valid answers on the day'),
  avg_interval_s: Nullable(
    Type.Number({ minimum: 0, description: 'Mean time between an answer and the one before it, seconds' }),
  ),
  max_gap_s: Nullable(Count('Longest such time that ended on the day, seconds')),
  heartbeat_breaches: Nullable(
    Count('Such times longer than heartbeat and grace; null without a heartbeat or where the market closes'),
  ),
  deviation_triggers: Nullable(
    Count("Answers that moved by the feed's deviation or more; null without a deviation"),
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
