// The truth about relays: every ten minutes one relay delivers the block of a slot, and every third time a second relay delivers it too.
import { createHash } from 'node:crypto';
import { SHIPPED_SOURCES } from '../../../jobs/sources/live/shipped/shipped.ts';

const GENESIS_AT = 1_606_824_023;
const SLOT_S = 12;
const EVERY_SLOTS = 50;
const BUILDERS = 4;
const PAGE = 100;

/** Relay hosts that the profile reads, with the relay's name. */
export const RELAY_HOSTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SHIPPED_SOURCES).flatMap(([id, { table, url = '' }]) =>
    table === 'relay_payment' ? [[new URL(url).host, id.replace('relay-', '')]] : [],
  ),
);
const HOSTS = [...RELAY_HOSTS.keys()];

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

export interface Payment {
  readonly slot: number;
  readonly at: number;
  readonly block_hash: string;
  readonly builder: string;
  readonly wei: bigint;
}

function isDeliveredBy(host: string, slot: number): boolean {
  const turn = slot / EVERY_SLOTS;
  const index = HOSTS.indexOf(host);
  return turn % HOSTS.length === index || (turn % 3 === 0 && (turn + 1) % HOSTS.length === index);
}

const paymentAt = (slot: number): Payment => ({
  slot,
  at: GENESIS_AT + slot * SLOT_S,
  block_hash: `0x${digest(`block ${slot}`)}`,
  builder: `0x${digest(`builder ${(slot / EVERY_SLOTS) % BUILDERS}`)}${'0'.repeat(32)}`,
  // More digits than a double holds.
  wei: 10n ** 16n * BigInt(1 + (slot % 700)) + BigInt(slot),
});

/** Newest first, down to a slot. */
function* deliveredBy(host: string, from: number, downTo: number): Generator<Payment> {
  for (let slot = from - (from % EVERY_SLOTS); slot >= downTo; slot -= EVERY_SLOTS)
    if (isDeliveredBy(host, slot)) yield paymentAt(slot);
}

const slotAt = (at: number) => Math.floor((at - GENESIS_AT) / SLOT_S);

export const paymentsIn = (host: string, { from, to }: { readonly from: number; readonly to: number }) => [
  ...deliveredBy(host, slotAt(to), Math.max(0, slotAt(from) + 1)),
];

/** In the form of relay responses: the cursor is inclusive, and every number is text. A block appears once its slot is over. */
export function deliveredAnswer(host: string, query: URLSearchParams, now: number) {
  const newest = slotAt(now) - 1;
  const cursor = Math.min(Number(query.get('cursor') ?? newest), newest);
  const rows = [];
  for (const { slot, block_hash, builder, wei } of deliveredBy(host, cursor, 0)) {
    const facts = { slot: String(slot), block_hash, builder_pubkey: builder, value: String(wei) };
    rows.push({
      ...facts,
      parent_hash: digest('parent'),
      gas_limit: '60000000',
      gas_used: '21000',
      num_tx: '1',
    });
    if (rows.length >= Math.min(Number(query.get('limit') ?? PAGE), PAGE)) break;
  }
  return rows;
}
