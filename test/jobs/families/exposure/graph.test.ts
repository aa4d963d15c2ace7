import { afterEach, beforeEach, expect, test } from 'vitest';
import { exposure, exposureGraph } from '../../../../jobs/families/exposure/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { amplificationOf } from '../../../../models/amplification.ts';
import { lookThrough } from '../../../../models/exposure.ts';
import type { ExposureNode } from '../../../../schemas/exposure.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const NOW = 1_772_323_200;
const AT = NOW - 3_600;
const WINDOW = { start: NOW - 86_400, end: NOW + 1, now: NOW };

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(exposure, [sources, oracles, pools, lending]);
});
afterEach(() => world.close());

const allocation = (held: string, value_usd: number, more: object = {}) => ({
  chain: 'Ethereum',
  vault_address: '0xVA',
  observed_at: AT,
  held_kind: 'market',
  held,
  value_usd,
  vault_total_usd: 100,
  ...more,
});
const backing = (symbol: string, held: string, share: number, more: object = {}) => ({
  symbol,
  observed_at: AT,
  held_kind: 'asset',
  held,
  share,
  ...more,
});

async function graph(): Promise<ReadonlyMap<string, ExposureNode>> {
  await world.compute(WINDOW);
  const { documents, unfit } = await world.documents(exposureGraph);
  expect(unfit).toEqual([]);
  return new Map(documents.map(({ key, value }) => [key, value as unknown as ExposureNode]));
}

test('a vault, an asset behind it, and what neither accounts for', async () => {
  await world.landRows('vault_allocation', [
    allocation('0xM1', 60),
    allocation('usdx', 25, { held_kind: 'asset' }),
    allocation('0xVB', 10, { held_kind: 'vault' }),
  ]);
  await world.landRows('asset_backing', [
    { symbol: 'usdX', observed_at: AT, held_kind: 'issuer', held: 'X-Corp', value_usd: 30, total_usd: 40 },
  ]);
  const nodes = await graph();
  expect([...nodes.keys()].sort()).toEqual(['asset:USDX', 'vault:ethereum:0xva']);
  const vault = nodes.get('vault:ethereum:0xva');
  expect(vault?.known_share).toBe(0.95);
  expect(vault?.edges.map(({ to, share, usd }) => [to, share, usd])).toEqual([
    ['market:ethereum:0xm1', 0.6, 60],
    ['asset:USDX', 0.25, 25],
    ['vault:ethereum:0xvb', 0.1, 10],
    ['unknown', 0.05, null],
  ]);
  expect(nodes.get('asset:USDX')?.edges.map(({ to, share, name }) => [to, share, name])).toEqual([
    ['issuer:x-corp', 0.75, 'X-Corp'],
    ['unknown', 0.25, null],
  ]);
});

test('rows that cannot be are refused one by one, and their share becomes unknown', async () => {
  const receipt = await world.landRows('vault_allocation', [
    allocation('0xm1', 60),
    allocation('0xm2', 101),
    allocation('0xm3', -1),
    allocation('0xm4', 5, { held_kind: 'curator' }),
    allocation('0xm5', 5, { vault_total_usd: 0 }),
    allocation('0xm1', 60),
    allocation('0xm6', 0),
  ]);
  expect([receipt.rows_landed, receipt.rows_quarantined]).toEqual([2, 4]);
  const backed = await world.landRows('asset_backing', [
    backing('A', 'B', 0.5),
    backing('A', 'C', 1.5),
    { ...backing('A', 'D', 0.5), share: null, value_usd: 1 },
    backing('A', '0xm', 0.1, { held_kind: 'market' }),
    backing('A', '0xm', 0.1, { held_kind: 'market', held_chain: 'Base' }),
  ]);
  expect([backed.rows_landed, backed.rows_quarantined]).toEqual([2, 3]);
  const nodes = await graph();
  expect(nodes.get('vault:ethereum:0xva')?.known_share).toBe(0.6);
  expect(nodes.get('asset:A')?.edges.map(({ to }) => to)).toEqual(['asset:B', 'unknown', 'market:base:0xm']);
});

test('a holder that does not explain all of its value is named with the share', async () => {
  await world.landRows('asset_backing', [backing('A', 'B', 0.75), backing('C', 'D', 1)]);
  await world.compute(WINDOW);
  expect((await world.audit(WINDOW)).map(({ rows }) => rows)).toEqual([
    [{ reason: 'asset:A: 25.0 % of its value is unknown', weight: 0.125 }],
  ]);
});

test('shares beyond the whole are found by the audit, which names the holder', async () => {
  await world.landRows('asset_backing', [
    backing('A', 'B', 0.7),
    backing('A', 'C', 0.4),
    backing('D', 'E', 0.5),
    backing('D', 'F', 0.5000005),
  ]);
  await world.compute(WINDOW);
  const findings = await world.audit(WINDOW);
  const failed = findings.filter(({ verdict }) => verdict === 'fail');
  expect(failed.map(({ table, rows }) => [table, rows])).toEqual([
    ['derived.exposure_edge', [{ node: 'asset:A', total: expect.closeTo(1.1, 9) }]],
  ]);
});

test('two assets that back each other are published as they are, and amplify each other', async () => {
  await world.landRows('asset_backing', [
    backing('XUSD', 'DEUSD', 0.5),
    backing('DEUSD', 'XUSD', 0.6),
    backing('DEUSD', 'c', 0.4, { held_kind: 'issuer' }),
  ]);
  const nodes = [...(await graph()).values()];
  const edges = nodes.flatMap(({ node: from, edges: own }) =>
    own.map(({ to, share }) => ({ from, to, share })),
  );
  const found = lookThrough(new Map([['asset:XUSD', 100]]), edges);
  expect(amplificationOf(edges).get('asset:XUSD')).toBeCloseTo(0.3 / 0.7, 12);
  expect(found.ends.get('unknown')).toBeCloseTo(50 / 0.7, 3);
});

test('a vault whose report is too old, or that never reported, is unknown as a whole, and the gate says so', async () => {
  await world.landRows('vault_allocation', [
    allocation('0xm1', 100, { observed_at: NOW - 86_400 }),
    allocation('0xm1', 100, { observed_at: NOW - 86_399, vault_address: '0xnew' }),
  ]);
  await world.landRows('asset_backing', [backing('A', 'B', 1, { observed_at: NOW - 45 * 86_400 })]);
  const nodes = await graph();
  expect([...nodes.keys()].sort()).toEqual(['asset:A', 'vault:ethereum:0xnew']);
  expect(nodes.get('asset:A')).toMatchObject({ known_share: 0, edges: [{ to: 'unknown', share: 1 }] });
  const [finding] = await world.audit(WINDOW);
  expect(finding?.rows).toEqual([
    { reason: '1 of 1 assets: no recent report says what they hold', weight: 0.5 },
  ]);
});

test('a report that comes again is one, as a share or as amounts; another content is a conflict', async () => {
  const amounts = { ...backing('A', 'B', 0), share: null, value_usd: 3, total_usd: 4 };
  const counts = async (row: object) => {
    const receipt = await world.landRows('asset_backing', [row as ReturnType<typeof backing>]);
    return [receipt.rows_landed, receipt.rows_deduplicated, receipt.rows_quarantined];
  };
  expect(await counts(amounts)).toEqual([1, 0, 0]);
  expect(await counts(amounts)).toEqual([0, 1, 0]);
  expect(await counts({ ...amounts, value_usd: 2 })).toEqual([0, 0, 1]);
});
