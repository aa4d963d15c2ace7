// Decodes swaps from the logs of pools like those of Uniswap v2 and v3, and finds blocks in which one swap may enclose another.
import { contractEvent } from '../../../../platform/base/contract-abi.ts';
import type { NodeLog } from './node-log.ts';

const PAIR = contractEvent('Swap', {
  sender: 'address indexed',
  amount0In: 'uint256',
  amount1In: 'uint256',
  amount0Out: 'uint256',
  amount1Out: 'uint256',
  to: 'address indexed',
});
const POOL = contractEvent('Swap', {
  sender: 'address indexed',
  recipient: 'address indexed',
  amount0: 'int256',
  amount1: 'int256',
  sqrtPriceX96: 'uint160',
  liquidity: 'uint128',
  tick: 'int24',
});

/** The topics to request from a node. */
export const SWAP_TOPICS: readonly string[] = [PAIR.topic, POOL.topic];

export interface PoolSwap {
  readonly log: NodeLog;
  /** Time of its block, Unix seconds. */
  readonly time: number;
  /** Whether the first token of the pool was given for the second. */
  readonly isZeroIn: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Null for a log that trades no token for the other, such as a flash loan. @throws RangeError for one that cannot be decoded */
export function poolSwapOf(log: NodeLog, time: number): PoolSwap | null {
  const [zero, one] = netAmounts(log);
  if (zero === 0n && one === 0n) return null;
  if ((zero > 0n && one > 0n) || (zero < 0n && one < 0n)) return null;
  const isZeroIn = zero > 0n || one < 0n;
  const [given, taken] = isZeroIn ? [zero, -one] : [one, -zero];
  return { log, time, isZeroIn, amountIn: given, amountOut: taken };
}

/** Amount of each token that the pool received; negative for what it paid out. */
function netAmounts(log: NodeLog): readonly [bigint, bigint] {
  try {
    if (log.topics[0] === POOL.topic) {
      const { amount0, amount1 } = POOL.decodeLog(log);
      return [amount0, amount1];
    }
    const { amount0In, amount1In, amount0Out, amount1Out } = PAIR.decodeLog(log);
    return [amount0In - amount0Out, amount1In - amount1Out];
  } catch (cause) {
    throw new RangeError(
      `Log ${log.logIndex} of ${log.transactionHash} does not match the declaration of its event.`,
      {
        cause,
      },
    );
  }
}

/**
 * Whether swaps of one pool in one block, given in order, can contain a sandwich: a transaction trades one way, a later one the same way,
 * and another one after that the other way.
 */
export const mayEnclose = (swaps: readonly PoolSwap[]): boolean =>
  [true, false].some((isZeroIn) => {
    const there = transactionsOf(swaps, (swap) => swap.isZeroIn === isZeroIn);
    const victim = there[1];
    if (victim === undefined) return false;
    return swaps.some(
      ({ log, isZeroIn: way }) =>
        way !== isZeroIn && log.logIndex > victim.logIndex && log.transactionHash !== victim.transactionHash,
    );
  });

/** The first wanted log of each transaction. */
function transactionsOf(
  swaps: readonly PoolSwap[],
  isWanted: (swap: PoolSwap) => boolean,
): readonly NodeLog[] {
  const first = new Map<string, NodeLog>();
  for (const swap of swaps)
    if (isWanted(swap) && !first.has(swap.log.transactionHash)) first.set(swap.log.transactionHash, swap.log);
  return [...first.values()];
}
