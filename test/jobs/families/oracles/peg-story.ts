// A few sources of one coin as plain prices: lands them at given addresses, computes, and says what happened.
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { type FeedRow, feedRow, type OracleWorld, roundRow } from './oracle-world.ts';

export const instant = (time: string) => Date.parse(time) / 1000;

export interface PegSource {
  readonly feed: Partial<FeedRow>;
  /** Unix seconds and price. */
  readonly answers: readonly (readonly [at: number, price: number])[];
}

export const every = (step: number, from: number, prices: readonly number[]) =>
  prices.map((price, i) => [from + i * step, price] as const);

/** Peg events of these sources, which get the addresses in their order. */
export async function eventsOf(
  world: OracleWorld,
  { sources, addresses, last }: { sources: readonly PegSource[]; addresses: readonly string[]; last: number },
): Promise<readonly Candidate[]> {
  const addressed = sources.map((one, i) => ({ ...one, feed_address: addresses[i] ?? `0x${i}` }));
  await world.clear();
  await world.landFeeds(
    addressed.map(({ feed, feed_address }) =>
      feedRow({ observed_at: 0, quote: 'USD', deviation_bps: 25, ...feed, feed_address }),
    ),
  );
  await world.landRounds(
    addressed.flatMap(({ answers, feed, feed_address }) =>
      answers.map(([updated_at, price], i) =>
        roundRow({
          ...(feed.chain === undefined ? {} : { chain: feed.chain }),
          feed_address,
          round_id: String(i + 1),
          answer: String(Math.round(price * 1e8)),
          updated_at,
          block_number: 1_000_000 + i,
        }),
      ),
    ),
  );
  const first = Math.min(...sources.flatMap(({ answers }) => answers.map(([time]) => time)));
  await world.compute({ start: first - (first % 86_400), end: last + 1, now: last });
  return (await world.detect(-1, last)).filter(({ type }) => type.startsWith('peg.'));
}

interface PegData {
  readonly observed_price: string;
  readonly block_number: number | null;
  readonly sources: readonly {
    readonly oracle_address: string;
    readonly source_kind: string;
    readonly price: string;
  }[];
}
export const dataOf = ({ envelope }: Candidate) => envelope['data'] as unknown as PegData;
/** What happened, without the addresses: those differ by arrangement and must be all that does. */
export const summaryOf = (events: readonly Candidate[]) =>
  events.map((event) => {
    const { sources = [], observed_price } = dataOf(event);
    const gate = (event.envelope['meta'] as { _agentic: { quality_gate?: { checks: { name: string }[] } } })
      ._agentic;
    return {
      type: event.type.replace('peg.depeg.', ''),
      at: new Date(event.event_at * 1000).toISOString().slice(11, 16),
      severity: event.envelope['severity'],
      doubts: gate.quality_gate?.checks.map(({ name }) => name) ?? [],
      observed_price,
      values: sources.map(({ source_kind, price }) => `${source_kind} ${Number(price)}`),
    };
  });
