// Sandwiches that the tests of flashbots/mev-inspect-py publish with their profit, from the swaps of those pools in those blocks
// (tests/sandwiches/12775690.json; tests/test_heavy_sandwiches.py at 27199ac). Facts of the chain, decoded from its traces.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mev } from '../../../../jobs/families/mev/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const SWAPS: readonly ({ readonly observed_at: number } & { readonly [field: string]: Json })[] = JSON.parse(
  readFileSync(new URL('published-swaps.json', import.meta.url), 'utf8'),
);
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(mev, [sources, oracles, pools]);
  expect(await world.landRows('mev_swap', SWAPS)).toMatchObject({ rows_in: 13, rows_landed: 13 });
  for (const at of new Set(SWAPS.map(({ observed_at }) => observed_at - (observed_at % 86_400))))
    await world.compute({ start: at, end: at + 86_400, now: at + 86_399 });
}, 60_000);
afterAll(() => world.close());

const found = async (block: number) =>
  (await world.rows(`select * from derived.mev_sandwich where block_number = ${block}`)).map((row) => ({
    ...row,
    extracted: Number(row['extracted']),
  }));

test('block 12,775,690: four victims between both legs of one account, .049991 ether', async () => {
  expect(await found(12_775_690)).toMatchObject([
    {
      pool_id: '0xefb47fcfcad4f96c83d4ca676842fb03ef20a477',
      front_tx: '0x91a3abe5f3b806426542252820ba0ab6d56c098fdef6864ecaf4d352f64217a0',
      back_tx: '0xc300d1ff79d3901b58dc56489fc7d083a6c13d422bfc1425a0579379300c95a2',
      token: WETH,
      victims: 4,
      victim_txs: [
        '0x1fe35f66e24f12bdb54a0d35934aac809c783710d998621b70116ea9f95f4f4f',
        '0x9b40deca1f53593b7631ca25485d0c6faf90279b9872845acfd5c98afb185934',
        '0xdf63b22773b66cc41e00fd42c3b3c7f42912f87476ffe6d821e3f5c00284f00b',
        '0xf8e45a291cdab5e456375e4d7df30771670d504835c9332b32114e5bc4e315f9',
      ].join(),
      extracted: expect.closeTo(Number(12_158_780_499_164_852_150n - 12_108_789_017_249_529_876n), -4),
    },
  ]);
});

test('block 13,699,765: two accounts of one contract sell more than they bought and lose .4358 ether', async () => {
  expect(await found(13_699_765)).toMatchObject([
    {
      token: WETH,
      same_by: 'contract',
      victims: 1,
      extracted: expect.closeTo(Number(-435_805_264_121_298_944n), -8),
    },
  ]);
});

test('without a price from a source or a feed neither has a worth in USD', async () => {
  expect(await world.rows('select extracted_usd, priced_by from derived.mev_sandwich')).toEqual([
    { extracted_usd: null, priced_by: null },
    { extracted_usd: null, priced_by: null },
  ]);
});
