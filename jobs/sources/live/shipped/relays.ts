// Relays between the builders of blocks and their proposers: what each delivered, by slot. All keyless; none publishes a limit. Rows have
// no time, but their slot determines it. Some relays return at most 100 rows, whatever is requested.
import type { LiveSection } from '../fetch/section.ts';

const GENESIS_AT = 1_606_824_023;
const SLOT_S = 12;

const RELAYS: { readonly [relay: string]: string } = {
  aestus: 'aestus.live',
  agnostic: 'agnostic-relay.net',
  flashbots: 'boost-relay.flashbots.net',
  titan: 'titanrelay.xyz',
  ultrasound: 'relay-analytics.ultrasound.money',
};

const payments = (relay: string, host: string): LiveSection => ({
  table: 'relay_payment',
  name: `Payments to proposers on Ethereum through the relay ${relay}`,
  url: `https://${host}`,
  license: 'facts',
  chain: 'ethereum',
  request: {
    url: `https://${host}/relay/v1/data/bidtraces/proposer_payload_delivered`,
    query: { limit: '100', cursor: '{key}' },
  },
  every: '30m',
  pager: { kind: 'keyset', field: 'slot', order: 'desc', clock: { starts_at: GENESIS_AT, step_s: SLOT_S } },
  // A block is delivered within its slot; two minutes later every relay shows it.
  window: { history: '30d', step: '1d', overlap: '1h', lag: '2m' },
  // A page shows the newest blocks, however old they are.
  guards: {
    min_records: 1,
    present: ['slot', 'block_hash', 'builder_pubkey', 'value'],
    max_zero_share: { value: 0.5 },
  },
  records: '',
  fields: {
    network: { value: 'ethereum' },
    relay: { value: relay },
    slot: 'slot',
    genesis_at: { value: GENESIS_AT },
    slot_s: { value: SLOT_S },
    block_hash: 'block_hash',
    builder: 'builder_pubkey',
    value_wei: 'value',
  },
});

export const RELAY_SOURCES: { readonly [id: string]: LiveSection } = Object.fromEntries(
  Object.entries(RELAYS).map(([relay, host]) => [`relay-${relay}`, payments(relay, host)]),
);
