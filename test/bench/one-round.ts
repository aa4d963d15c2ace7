// Sources of a world of which none delivers anything, or one delivers a single round.
import type { Delivery, Source } from '../../jobs/define/source.ts';
import type { Row } from '../../jobs/engine/rows.ts';
import type { Queries } from '../../jobs/engine/warehouse.ts';

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

/** The last round of any feed. */
export async function lastRound(warehouse: Pick<Queries, 'rows'>): Promise<Row> {
  const [row] = await warehouse.rows(
    'select chain, feed_address, round_id, answer, decimals from obs.feed_round order by observed_at desc, feed_address, round_id limit 1',
  );
  if (row === undefined) throw new Error('the world has no round');
  return row;
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
