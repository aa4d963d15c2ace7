// Payments to proposers in the demo world: a slot every ten minutes, delivered by one relay or two, with an occasional large payment.
import type { Source } from '../../define/source.ts';
import { hash, hexDigits, unit } from './scenario/hash.ts';
import { firstDay, type DemoSettings } from './scenario/settings.ts';
import { simulated } from './scenario/simulated.ts';
import { instants } from './scenario/stress.ts';

const SEED = 9_700;
const STEP_S = 600;
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
      [...instants(start, interval, STEP_S)].flatMap((at) => deliveredAt(settings.seed, start, at)),
  });
};

function deliveredAt(seed: number, start: number, at: number) {
  const own = hash(seed, SEED);
  const draw = (index: number) => unit(hash(own, index), at / STEP_S);
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
