// The truth about pools: swaps every hour, and every two hours a swap that is sandwiched between two swaps of one account.
import { type Hex, parseAbi } from 'viem';
import { encodeAbiParameters, encodeEventTopics } from 'viem/utils';
import { SHIPPED_SOURCES } from '../../../jobs/sources/live/shipped/shipped.ts';
import { addressOf, blockAt, type ContractLog, type Contracts, contractOf } from './contracts.ts';
import { HOUR_S } from './truth-finance.ts';

const PAIR_ABI = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
]);
const POOL_ABI = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);
const TOKENS_ABI = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
]);

export const POOLS = (SHIPPED_SOURCES['uniswap-swaps']?.request?.chain?.contracts ?? []).map(
  (address) => address.toLowerCase() as Hex,
);
const TOKENS: readonly [Hex, Hex] = [addressOf('token USDC'), addressOf('token WETH')];
/** The first pools are version 2. */
const PAIRS = 2;
const ENCLOSED_EVERY = 2;
const USD = 10n ** 6n;
const ETHER = 10n ** 18n;

export const poolContracts = (): Contracts =>
  new Map(
    POOLS.map((pool) => [pool, contractOf(TOKENS_ABI, { token0: () => TOKENS[0], token1: () => TOKENS[1] })]),
  );

interface Trade {
  readonly by: string;
  /** Net amount of each token that the pool receives. */
  readonly net: readonly [bigint, bigint];
}

const buys = (by: string, ether: bigint): Trade => ({ by, net: [ether * 2_000n * USD, -ether * ETHER + 1n] });
const sells = (by: string, ether: bigint): Trade => ({
  by,
  net: [-ether * 1_990n * USD - 1n, ether * ETHER],
});

const isEnclosed = (hour: number) => hour % ENCLOSED_EVERY === 0;

/** The two swaps of an ordinary hour go in opposite directions, so that nothing can be sandwiched between them. */
const tradesOf = (hour: number): readonly Trade[] =>
  isEnclosed(hour)
    ? [buys(`attacker ${hour % 5}`, 2n), buys(`victim ${hour}`, 5n), sells(`attacker ${hour % 5}`, 2n)]
    : [buys(`buyer ${hour}`, 1n), sells(`seller ${hour}`, 1n)];

export interface SwapLog extends ContractLog {
  readonly net: readonly [bigint, bigint];
  readonly isEnclosed: boolean;
}

export function swapLogs(from: number, to: number): readonly SwapLog[] {
  const logs: SwapLog[] = [];
  for (let hour = Math.ceil(from / HOUR_S); hour * HOUR_S <= to; hour++) {
    const at = hour % POOLS.length;
    const position = {
      address: POOLS[at] ?? '',
      block: blockAt(hour * HOUR_S) + 7,
      isEnclosed: isEnclosed(hour),
    };
    for (const { by, net } of tradesOf(hour))
      logs.push({
        ...position,
        net,
        sender: addressOf(by),
        ...(at < PAIRS ? pairEvent(net) : poolEvent(net)),
      });
  }
  return logs;
}

const SOME = { sender: addressOf('router'), to: addressOf('router'), recipient: addressOf('router') };

function pairEvent([zero, one]: Trade['net']): Pick<ContractLog, 'topics' | 'data'> {
  const amounts = [zero, one, -zero, -one].map((amount) => (amount > 0n ? amount : 0n));
  return eventOf(PAIR_ABI, amounts);
}

const poolEvent = ([zero, one]: Trade['net']): Pick<ContractLog, 'topics' | 'data'> =>
  eventOf(POOL_ABI, [zero, one, 1n << 96n, 10n ** 18n, -200_000]);

function eventOf(abi: typeof PAIR_ABI | typeof POOL_ABI, values: readonly unknown[]) {
  const [event] = abi;
  const inputs = event.inputs.filter((input) => !('indexed' in input && input.indexed));
  return {
    topics: encodeEventTopics({ abi, eventName: 'Swap', args: SOME } as never) as Hex[],
    data: encodeAbiParameters(inputs, values as never),
  };
}

/** The row that a sandwiched swap must become, without its block; amounts as doubles. */
export function swapSays({ address, sender = '0x', net: [zero, one] }: SwapLog): string {
  const [given, taken] = zero > 0n ? [zero, -one] : [one, -zero];
  const [tokenIn, tokenOut] = zero > 0n ? TOKENS : TOKENS.toReversed();
  return [address, sender, tokenIn, tokenOut, ...[given, taken].map((amount) => BigInt(Number(amount)))].join(
    ' | ',
  );
}
