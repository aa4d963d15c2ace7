// Two sources of one vault, from files to documents and events: what both state lands once, what they state of one block in two ways is a gap,
// and of prices at other blocks that nothing explains there is neither a mean nor an event.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import type { Vault } from '../../../../schemas/vaults.ts';
import { neededFor } from '../../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  testFolder,
} from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CHAIN = 'ethereum';
const NOW = 1_762_300_800;
const QUARTER = 900;
const UNITS = 1_000_000;

/** Price by source and quarter of an hour before now; null for no state. */
type Prices = (source: 'first' | 'second', quarter: number) => number | null;

/** The first source reads on even quarters, the second one on odd ones. */
const inTurn = (source: 'first' | 'second', quarter: number): boolean =>
  quarter % 2 === (source === 'first' ? 0 : 1);

const VAULTS: Readonly<Record<string, Prices>> = {
  /** The sources differ by 3 %, at every state. */
  '0xd1': (source, quarter) => (inTurn(source, quarter) ? (source === 'first' ? 1 : 0.97) : null),
  /** Both read every block, and agree. */
  '0xd2': () => 1,
  /** Both read every block, and the second one states the last in another way. */
  '0xd3': (source, quarter) => (source === 'second' && quarter === 0 ? 0.97 : 1),
  /** A fall that both see, the second one first. */
  '0xd4': (source, quarter) => (inTurn(source, quarter) ? (quarter <= 3 ? 0.9 : 1) : null),
  /** The second one differed, and has said nothing for more than two hours. */
  '0xd5': (source, quarter) => {
    if (source === 'first') return inTurn(source, quarter) ? 1 : null;
    return inTurn(source, quarter) && quarter >= 9 ? 0.97 : null;
  },
};

const QUARTERS = Array.from({ length: 24 }, (_, index) => 23 - index);

const rowsOf = (source: 'first' | 'second') =>
  Object.entries(VAULTS).flatMap(([vault_address, priceOf]) =>
    QUARTERS.flatMap((quarter) => {
      const price = priceOf(source, quarter);
      if (price === null) return [];
      const assets = String(Math.round(price * UNITS) * UNITS);
      return [
        {
          ...{ chain: CHAIN, vault_address, observed_at: NOW - quarter * QUARTER, kind: 'morpho_v1_1' },
          ...{ asset_decimals: 6, share_decimals: 18, total_assets: assets, real_assets: assets },
          ...{ total_supply: `${UNITS}${'0'.repeat(18)}`, performance_fee: '0', asset_price_usd: 1 },
        },
      ];
    }),
  );

const NAMES = ['chain', 'vault_address', 'observed_at', 'kind', 'asset_decimals', 'share_decimals'];
const FIGURES = ['total_assets', 'real_assets', 'total_supply', 'performance_fee', 'asset_price_usd'];
const fields = Object.fromEntries([...NAMES, ...FIGURES].map((name) => [name, name]));

function optionsOf({ dir }: TestFolder, now: number) {
  const sourceOf = (name: 'first' | 'second') => [
    name,
    { table: 'vault_state', path: join(dir, `${name}.ndjson`), format: 'ndjson', name, fields },
  ];
  return {
    config: { profile: 'files', sources: Object.fromEntries([sourceOf('first'), sourceOf('second')]) },
    ...{ now, domains: neededFor({ datasets: ['vaults'], events: ['vault.share_price'] }) },
  };
}

const writeRows = ({ dir }: TestFolder, name: 'first' | 'second', rows: readonly object[]) =>
  writeFileSync(join(dir, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** Publishes what both sources state, the second one in the steps of `cuts` (quarters before now). */
async function publish(folder: TestFolder, cuts: readonly number[]): Promise<void> {
  writeRows(folder, 'first', rowsOf('first'));
  for (const [step, cut] of cuts.entries()) {
    const known = rowsOf('second').filter(({ observed_at }) => observed_at <= NOW - cut * QUARTER);
    writeRows(folder, 'second', known);
    await inWorld(folder.dir, optionsOf(folder, NOW + 60 + step), async (world) => {
      expect(await runOnce(world, null)).toBe(0);
    });
  }
}

let folder: TestFolder;
beforeAll(async () => {
  folder = testFolder();
  await publish(folder, [0]);
});
afterAll(() => folder?.remove());

const vaultIn = ({ dir }: TestFolder, address: string): Vault => {
  const vault = documentsOf<Vault>(dir, 'vaults')[`${CHAIN}|${address}`];
  if (vault === undefined) throw new Error(`${address} is not published`);
  return vault;
};
const fallsIn = ({ dir }: TestFolder) =>
  publishedEvents(dir)
    .map(({ value }) => value)
    .filter(({ type }) => type === 'vault.share_price.fell')
    .map(({ subject_id, ts, data }) => [subject_id, Date.parse(ts) / 1000, data['price_after']]);

test('sources that differ are a gap: the figures are those of the newest state, nothing fell, and nothing was donated', () => {
  const vault = vaultIn(folder, '0xd1');
  expect(vault).toMatchObject({ share_price: '1.000000000000000000', total_assets: 1_000_000, flags: [] });
  expect(vault.gaps).toContain('sources_disagree');
});

test('what both state lands once', () => {
  expect(vaultIn(folder, '0xd2').gaps).not.toContain('sources_disagree');
});

test('one block that is stated in two ways is a gap; the first statement is kept', () => {
  const vault = vaultIn(folder, '0xd3');
  expect(vault).toMatchObject({ share_price: '1.000000000000000000', flags: [] });
  expect(vault.gaps).toContain('sources_disagree');
});

test('a fall that both see is one event, at the first state that shows it, without a doubt', () => {
  const vault = vaultIn(folder, '0xd4');
  expect(vault.flags).toEqual(['price_fell']);
  expect(vault.gaps).not.toContain('sources_disagree');
  expect(fallsIn(folder)).toEqual([[`vault:${CHAIN}:0xd4`, NOW - 3 * QUARTER, '0.900000000000099999']]);
});

test('a source that said nothing for the maximum age of a state is no gap any more', () => {
  expect(vaultIn(folder, '0xd5')).toMatchObject({ flags: [] });
  expect(vaultIn(folder, '0xd5').gaps).not.toContain('sources_disagree');
});

test('a source that comes late gives the same documents, and a rebuild the same bytes', async () => {
  const late = testFolder();
  try {
    await publish(late, [23, 13, 6, 0]);
    for (const address of Object.keys(VAULTS))
      expect(vaultIn(late, address), address).toEqual(vaultIn(folder, address));
    const hashes = datasetHashes(late.dir);
    await inWorld(late.dir, { ...optionsOf(late, NOW + 63), isRebuild: true }, async (world) => {
      expect(await rebuild(world)).toBe(0);
    });
    expect(datasetHashes(late.dir)).toEqual(hashes);
  } finally {
    late.remove();
  }
});
