// The automated market makers of the demo world, all on Ethereum. One family reads their states, another their yields.
import { hash, hexDigits } from './hash.ts';

const SEED_OF_POOLS = 3_100;

type Coin = readonly [symbol: string, decimals: number, amount: number];

export interface DemoPool {
  readonly venue: string;
  readonly kind: 'product' | 'stable' | 'ticks';
  readonly fee_pips: number;
  readonly coins: readonly Coin[];
  readonly amplification?: number;
}

export const DEMO_POOLS: readonly DemoPool[] = [
  {
    venue: 'uniswap-v2',
    kind: 'product',
    fee_pips: 3_000,
    coins: [
      ['USDC', 6, 48e6],
      ['ETH', 18, 15_500],
    ],
  },
  {
    venue: 'sushiswap',
    kind: 'product',
    fee_pips: 3_000,
    coins: [
      ['WBTC', 8, 90],
      ['ETH', 18, 2_600],
    ],
  },
  {
    venue: 'curve',
    kind: 'stable',
    fee_pips: 100,
    coins: [
      ['DAI', 18, 61e6],
      ['USDC', 6, 58e6],
      ['USDT', 6, 66e6],
    ],
    amplification: 2_000,
  },
  {
    venue: 'curve',
    kind: 'stable',
    fee_pips: 400,
    coins: [
      ['ETH', 18, 31_000],
      ['STETH', 18, 42_000],
    ],
    amplification: 50,
  },
  {
    venue: 'uniswap-v3',
    kind: 'ticks',
    fee_pips: 500,
    coins: [
      ['USDC', 6, 72e6],
      ['ETH', 18, 21_000],
    ],
  },
  {
    venue: 'uniswap-v3',
    kind: 'ticks',
    fee_pips: 100,
    coins: [
      ['USDE', 18, 9e6],
      ['USDC', 6, 11e6],
    ],
  },
];

export const poolSeed = (seed: number, index: number): number => hash(seed, SEED_OF_POOLS + index);

/** Address of the contract. */
export const poolAddress = (seed: number, index: number): string =>
  `0x${hexDigits(poolSeed(seed, index), 40)}`;
