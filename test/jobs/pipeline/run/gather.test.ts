import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EXIT } from '../../../../jobs/commands/exit-codes.ts';
import { coverage } from '../../../../jobs/families/coverage/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { withEvents } from '../../../support/with-events.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FEED = { chain: 'ethereum', feed_address: '0xfeed' };
const round = (round_id: number) => ({
  ...FEED,
  round_id: String(round_id),
  answer: '100000000',
  decimals: 8,
  updated_at: NOW - 3_600 * (10 - round_id),
});

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld({ domains: withEvents([sources, oracles, pools, lending, coverage]) });
  world.write('feed_registry', {
    'a.ndjson': [
      {
        ...FEED,
        provider: 'chainlink',
        name: 'AAA / USD',
        base: 'AAA',
        quote: 'USD',
        heartbeat_s: 3_600,
        decimals: 8,
        observed_at: NOW - 86_400,
      },
    ],
  });
});
afterEach(() => world.remove());

test.each([
  ['empty', ''],
  ['cut off', '{"chain":"ethereum","feed_addr'],
  ['no text', '\0\0\0\0'],
])('a file that is %s stops no other file of its source, and is named', async (_, text) => {
  world.write('feed_round', { 'a.ndjson': [round(1)], 'b.ndjson': text, 'c.ndjson': [round(2), round(3)] });
  const exit = await world.run(NOW);
  const landed = world
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) =>
        JSON.parse(line) as { readonly msg: string; readonly table?: string; readonly rows_landed?: number },
    )
    .filter(({ msg, table }) => msg === 'landed' && table === 'feed_round');
  expect(landed.reduce((rows, { rows_landed = 0 }) => rows + rows_landed, 0)).toBe(3);
  expect(world.log()).toContain(text === '' ? 'b.ndjson' : 'quarantined');
  if (text === '') expect(exit).toBe(EXIT.partial);
});
