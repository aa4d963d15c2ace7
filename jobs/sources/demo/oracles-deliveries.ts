// Puts the demo world's listings and rounds into columns. A round is passed as three numbers; the text values of its raw row are shared by
// the rows of a feed or computed in the engine.

import type { ColumnsDelivery } from '../../define/source.ts';
import type { Feed } from './scenario/feeds.ts';
import type { RoundBuffer } from './scenario/rounds.ts';

/** Provider in endpoint paths; the source itself states that the data is simulated. */
const PROVIDER = 'chainlink';
/** Rounds are numbered by their distance to this block, so numbering needs no history. */
const FIRST_BLOCK = 100_000_000;
const TEXT_ANSWER = 'not a number';

const COMPUTED = {
  round_id: `cast(cast(phase as hugeint) * 18446744073709551616 + (block - ${FIRST_BLOCK}) as varchar)`,
  answer: 'cast(cast(head as bigint) as varchar) || zeros',
  updated_at: '12 * cast(block as bigint) + 11',
  block_number: 'cast(block as bigint)',
} as const;

const COMPUTED_SPOILT = {
  ...COMPUTED,
  answer: `case when is_spoilt = 1 then '${TEXT_ANSWER}' else ${COMPUTED.answer} end`,
} as const;

/** The registry entry of a feed from one instant (Unix seconds) on. */
export interface RegistryEntry {
  readonly feed: Feed;
  readonly risk_level: string;
  readonly observed_at: number;
}

export function registryDelivery(rows: readonly RegistryEntry[]): ColumnsDelivery {
  const listings = rows.map((row) => row.feed.listing);
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      chain: listings.map((listing) => listing.chain),
      provider: rows.map(() => PROVIDER),
      feed_address: rows.map((row) => row.feed.address),
      name: listings.map((listing) => listing.name),
      base: listings.map((listing) => listing.base),
      quote: listings.map((listing) => listing.quote),
      category: listings.map((listing) => listing.category),
      asset_class: listings.map((listing) => listing.asset_class),
      risk_level: rows.map((row) => row.risk_level),
      heartbeat_s: listings.map((listing) => listing.heartbeat_s),
      deviation_bps: Float64Array.from(listings, (listing) => listing.deviation_bps),
      decimals: Int32Array.from(listings, (listing) => listing.decimals),
      market_hours: listings.map((listing) => listing.market_hours),
      observed_at: Float64Array.from(rows, (row) => row.observed_at),
    },
  };
}

export function roundDelivery(feeds: readonly Feed[], buffer: RoundBuffer): ColumnsDelivery {
  const { codes, present } = compact(feeds, buffer);
  const head = buffer.head.slice(0, buffer.count);
  const block = buffer.block.slice(0, buffer.count);
  const isSpoilt = spoiltRows(head);
  return {
    kind: 'columns',
    count: buffer.count,
    columns: isSpoilt === null ? { block, head } : { block, head, is_spoilt: isSpoilt },
    shared: {
      codes,
      values: {
        chain: present.map((feed) => feed.listing.chain),
        feed_address: present.map((feed) => feed.address),
        decimals: Int32Array.from(present, (feed) => feed.listing.decimals),
        phase: Int32Array.from(present, (feed) => feed.phase),
        zeros: present.map((feed) => '0'.repeat(feed.listing.decimals - feed.headDecimals)),
      },
    },
    computed: isSpoilt === null ? COMPUTED : COMPUTED_SPOILT,
  };
}

/** The feeds of a batch, and the index of each row's feed among them. */
function compact(
  feeds: readonly Feed[],
  buffer: RoundBuffer,
): { codes: Int32Array; present: readonly Feed[] } {
  const positions = new Int32Array(feeds.length).fill(-1);
  const present: Feed[] = [];
  const codes = new Int32Array(buffer.count);
  for (let i = 0; i < buffer.count; i++) {
    const index = buffer.feed[i] as number;
    let position = positions[index] as number;
    if (position < 0) {
      position = present.push(feeds[index] as Feed) - 1;
      positions[index] = position;
    }
    codes[i] = position;
  }
  return { codes, present };
}

/** Marks the rows whose answer becomes a text and gives them a number that casts; null if there are none, the usual case. */
function spoiltRows(head: Float64Array): Int32Array | null {
  let marks: Int32Array | null = null;
  for (let i = 0; i < head.length; i++) {
    if (!Number.isNaN(head[i])) continue;
    marks ??= new Int32Array(head.length);
    marks[i] = 1;
    head[i] = 0;
  }
  return marks;
}
