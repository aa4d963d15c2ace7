// Reads the lowest and the highest answer that Chainlink feeds can give: those of the aggregator that is behind the proxy of a feed now.
import { parseAbi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { aggregatorIn, decode, reasonOf } from './feed-abi.ts';
import type { CallResult } from './multicall.ts';
import { type Ask, type CallPlan, readCalls } from './read-calls.ts';
import type { MissingFeed } from './read-rounds.ts';
import type { Rpc } from './rpc.ts';

const ABI = parseAbi([
  'function aggregator() view returns (address)',
  'function minAnswer() view returns (int192)',
  'function maxAnswer() view returns (int192)',
]);
const AGGREGATOR = encodeFunctionData({ abi: ABI, functionName: 'aggregator' });
const BOUNDS = ['minAnswer', 'maxAnswer'] as const;

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
      BOUNDS.map((functionName) => ({
        target: aggregator,
        data: encodeFunctionData({ abi: ABI, functionName }),
      })),
    );
    const answers = await ask(calls, { mayRevert: true });
    const bounds = behind.flatMap(({ feed, aggregator }, index): FeedBounds[] => {
      const [min, max] = answers.slice(index * BOUNDS.length).map(boundIn);
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

const boundIn = (result: CallResult): bigint | null =>
  decode(result, (data) => decodeFunctionResult({ abi: ABI, functionName: 'minAnswer', data }));

function refusal(min: bigint | null | undefined, max: bigint | null | undefined): string | null {
  if (typeof min !== 'bigint' || typeof max !== 'bigint') return 'does not state its bounds';
  return min < max ? null : `states bounds that leave no answer: ${min} to ${max}`;
}
