// Sources of a world of which none delivers anything, or one delivers a single round.
import type { Delivery, Source } from '../../jobs/define/source.ts';
import type { Row } from '../../jobs/engine/rows.ts';

export interface Round {
  /** A row of `obs.feed_round`: identifies the feed. */
  readonly like: Row;
  /** How many rounds after that row; the rounds of a benchmark need different numbers. */
  readonly after: number;
  /** Unix seconds. */
  readonly at: number;
  /** The answer of that row if not given. */
  readonly answer?: string;
}

/** The same sources, without deliveries. */
export const silenced = (sources: readonly Source[]): readonly Source[] =>
  sources.map((source) => ({ ...source, async *deliveries() {} }));

/** The same sources; the one for rounds delivers this round after everything else that it delivers. */
export const withRound = (sources: readonly Source[], round: Round): readonly Source[] =>
  sources.map((source) =>
    source.table !== 'feed_round'
      ? source
      : {
          ...source,
          async *deliveries(interval) {
            yield* source.deliveries(interval);
            yield deliveryOf(round);
          },
        },
  );

function deliveryOf({ like, after, at, answer }: Round): Delivery {
  const columns = {
    chain: [String(like['chain'])],
    feed_address: [String(like['feed_address'])],
    round_id: [String(BigInt(String(like['round_id'])) + BigInt(after))],
    answer: [answer ?? String(like['answer'])],
    decimals: [Number(like['decimals'])],
    updated_at: [at],
  };
  return { kind: 'columns', count: 1, columns };
}
