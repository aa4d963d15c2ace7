// Swaps of the demo world: ordinary trades, a small sandwich every six hours, and an occasional large one.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { Source } from '../../define/source.ts';
import { SECONDS_PER_BLOCK } from './scenario/block.ts';
import { hash, hexDigits, unit } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { simulated } from './scenario/simulated.ts';
import { instants, type Programme, programme } from './scenario/stress.ts';

const SEED = 9_500;
const STEP_S = 30 * 60;
const SANDWICH_STEP_S = 6 * HOUR_S;
const LARGE_S = 16 * DAY_S + 18 * HOUR_S;
const ETHER_USD = 3_100;
const POOLS = 3;

interface Trade {
  readonly sender: string;
  readonly isBuy: boolean;
  /** Ether given or received. */
  readonly ether: number;
  /** Value in ether of the tokens on the other side; same as `ether` if omitted. */
  readonly tokensFor?: number;
}

type SwapProgramme = DemoSettings & Programme;

export function mevDemoSources(settings: DemoSettings): readonly Source[] {
  const world = { ...settings, ...programme(settings) };
  return [
    simulated({
      table: 'mev_swap',
      what: 'swaps',
      chain: 'ethereum',
      rowsIn: (interval) => [...instants(world.start, interval, STEP_S)].flatMap((at) => swapsAt(world, at)),
    }),
  ];
}

const account = (seed: number, index: number) => `0x${hexDigits(hash(seed, index), 40)}`;

function swapsAt(world: SwapProgramme, at: number) {
  const seed = hash(world.seed, SEED);
  const draw = (index: number) => unit(hash(seed, index), at / STEP_S);
  const pool = Math.floor(POOLS * draw(1));
  return tradesAt(world, at, draw).map(({ sender, isBuy, ether, tokensFor = ether }, index) => {
    const [ETHER, TOKEN] = [account(seed, 10), account(seed, 11 + pool)];
    const wei = String(BigInt(Math.round(ether * 1e6)) * 1_000_000_000_000n);
    const tokens = String(BigInt(Math.round(tokensFor * 1e6)) * 2_000_000_000_000n);
    const usd = Math.round(ether * ETHER_USD * 100) / 100;
    return {
      chain: 'ethereum',
      block_number: Math.floor(at / SECONDS_PER_BLOCK),
      observed_at: at,
      tx_index: 10 + index,
      tx_hash: `0x${hexDigits(hash(seed, at + index), 64)}`,
      swap_index: index,
      pool_id: account(seed, 20 + pool),
      protocol: 'uniswap_v2',
      sender,
      contract: account(seed, 40 + index),
      token_in: isBuy ? ETHER : TOKEN,
      token_out: isBuy ? TOKEN : ETHER,
      amount_in: isBuy ? wei : tokens,
      amount_out: isBuy ? tokens : wei,
      amount_in_usd: isBuy ? usd : null,
      amount_out_usd: isBuy ? null : usd,
    };
  });
}

function tradesAt(world: SwapProgramme, at: number, draw: (index: number) => number): readonly Trade[] {
  const trader = (index: number) => account(hash(world.seed, SEED + 1), at + index);
  const victim = { sender: trader(0), isBuy: true, ether: 1 + 9 * draw(2) };
  if (at % SANDWICH_STEP_S !== 0)
    return [victim, { sender: trader(1), isBuy: draw(3) > 0.5, ether: 2 * draw(4) }];
  const hand = account(hash(world.seed, SEED + 2), Math.floor(4 * draw(5)));
  const isLarge = world.offset(at) === LARGE_S;
  const front = isLarge ? 180 : 5;
  const gain = isLarge ? 9.5 : 0.05 + 0.4 * draw(6);
  return [
    { sender: hand, isBuy: true, ether: front },
    victim,
    { sender: hand, isBuy: false, ether: front + gain, tokensFor: front },
  ];
}

// Payments to proposers in the demo world: a slot every ten minutes, delivered by one relay or two, with an occasional large payment.

const PAYMENT_SEED = 9_700;
const PAYMENT_STEP_S = 600;
const SLOT_S = 12;
const RELAYS = ['agnostic', 'flashbots', 'ultrasound'];
const BUILDERS = 4;
const MIN_DAYS = 9;

export const paymentDemoSource = (settings: DemoSettings): Source => {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS));
  return simulated({
    table: 'relay_payment',
    what: 'payments to proposers',
    chain: 'ethereum',
    rowsIn: (interval) =>
      [...instants(start, interval, PAYMENT_STEP_S)].flatMap((at) => deliveredAt(settings.seed, start, at)),
  });
};

function deliveredAt(seed: number, start: number, at: number) {
  const own = hash(seed, PAYMENT_SEED);
  const draw = (index: number) => unit(hash(own, index), at / PAYMENT_STEP_S);
  const ether = 0.01 + 0.05 * draw(1) ** 3 + (draw(2) > 0.995 ? 20 * draw(3) : 0);
  const first = Math.floor(RELAYS.length * draw(4));
  const relays = draw(5) > 0.6 ? [first, (first + 1) % RELAYS.length] : [first];
  return relays.map((index) => ({
    network: 'ethereum',
    relay: RELAYS[index] ?? '',
    slot: (at - start) / SLOT_S,
    genesis_at: start,
    slot_s: SLOT_S,
    block_hash: `0x${hexDigits(hash(own, at), 64)}`,
    builder: `0x${hexDigits(hash(own, Math.floor(BUILDERS * draw(6))), 96)}`,
    value_wei: `${Math.round(ether * 1e9)}000000000`,
  }));
}
