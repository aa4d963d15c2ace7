// Reads the lowest and the highest answer that Chainlink feeds can give: those of the aggregator that is behind the proxy of a feed now.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { aggregatorIn, reasonOf } from './feed-abi.ts';
import { type Ask, type CallResult, readResult } from './contract-call.ts';
import { type CallPlan, readCalls } from './multicall.ts';
import type { MissingFeed } from './read-rounds.ts';
import type { Rpc } from './rpc.ts';

const AGGREGATOR = contractFunction('aggregator', {}, 'address').encodeCall();
const MIN = contractFunction('minAnswer', {}, 'int192');
const MAX = contractFunction('maxAnswer', {}, 'int192');
const BOUNDS = [MIN, MAX] as const;

export interface FeedBounds {
  readonly feed: string;
  readonly aggregator: string;
  readonly min: bigint;
  readonly max: bigint;
}

export interface BoundPlan extends CallPlan {
  /** Addresses of proxies, in lower case. */
  readonly feeds: readonly string[];
}

/** @throws ChainFault, RpcError */
export const readBounds = (node: Rpc, plan: BoundPlan) =>
  readCalls(node, plan, async (ask) => {
    const { behind, missing } = await aggregatorsOf(ask, plan.feeds);
    const calls = behind.flatMap(({ aggregator }) =>
      BOUNDS.map(({ encodeCall }) => ({ target: aggregator, data: encodeCall() })),
    );
    const answers = await ask(calls, { mayRevert: true });
    const bounds = behind.flatMap(({ feed, aggregator }, index): FeedBounds[] => {
      const min = readResult(MIN, answers[index * BOUNDS.length]);
      const max = readResult(MAX, answers[index * BOUNDS.length + 1]);
      const why = refusal(min, max);
      if (why !== null) missing.push({ feed, why: `its aggregator ${aggregator} ${why}` });
      return why === null ? [{ feed, aggregator, min: min ?? 0n, max: max ?? 0n }] : [];
    });
    return { bounds, missing };
  });

async function aggregatorsOf(ask: Ask, feeds: readonly string[]) {
  const results = await ask(
    feeds.map((target) => ({ target, data: AGGREGATOR })),
    { mayRevert: true },
  );
  const missing: MissingFeed[] = [];
  const behind = feeds.flatMap((feed, index) => {
    const result = results[index] as CallResult;
    const aggregator = aggregatorIn(result);
    if (aggregator === null) missing.push({ feed, why: `it names no aggregator (${reasonOf(result)})` });
    return aggregator === null ? [] : [{ feed, aggregator }];
  });
  return { behind, missing };
}

function refusal(min: bigint | null, max: bigint | null): string | null {
  if (min === null || max === null) return 'does not state its bounds';
  return min < max ? null : `states bounds that leave no answer: ${min} to ${max}`;
}
