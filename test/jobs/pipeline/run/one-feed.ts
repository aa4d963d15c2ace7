// Rows of one feed, and a round of it that is an event of the type oracle.feed.invalid.
import type { FileRow } from '../../../support/file-world.ts';

export const NOW = Date.UTC(2026, 2, 11, 3, 10) / 1_000;
const HOUR_S = 3_600;
const ROUNDS = 24;
const ADDRESS = '0x00000000000000000000000000000000000000fe';

export const FEED = (now: number): FileRow => ({
  ...{ chain: 'ethereum', provider: 'chainlink', feed_address: ADDRESS, name: 'ETH / USD', base: 'ETH' },
  ...{ quote: 'USD', category: 'verified', risk_level: 'low', heartbeat_s: HOUR_S, deviation_bps: 50 },
  ...{ decimals: 8, market_hours: 'crypto', observed_at: now - ROUNDS * HOUR_S },
});

const round = (id: number, answer: string, updated_at: number): FileRow => ({
  ...{ chain: 'ethereum', feed_address: ADDRESS, decimals: 8 },
  ...{ round_id: String((1n << 64n) + BigInt(id)), answer, updated_at },
});

/** One an hour, the last at `now`. */
export const rounds = (now: number): readonly FileRow[] =>
  Array.from({ length: ROUNDS + 1 }, (_, index) =>
    round(index + 1, '300000000000', now - (ROUNDS - index) * HOUR_S),
  );

export const invalidRound = (at: number): FileRow => round(ROUNDS + 2, '0', at);
