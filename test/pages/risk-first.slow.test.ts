// Pages of one market, vault, asset and protocol begin with what can be lost (skipped without Chromium): every figure as the API has it, no
// violation of accessibility, and every page fits common widths.
import { expect } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { browserTest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';
import { LAYOUT, PAGES, scrollThrough, walk } from './walk.ts';

const demo = demoForFile();

type Row = Readonly<Record<string, unknown>>;

async function rowsOf<T = Row>(path: string): Promise<readonly T[]> {
  const response = await fetch(demo().url + path, { headers: { Authorization: `Bearer ${demo().key}` } });
  return ((await response.json()) as { data: readonly T[] }).data;
}

interface Vault {
  readonly chain: string;
  readonly vault_address: string;
}

interface Node {
  readonly node: string;
  readonly known_share: number;
  readonly edges: readonly { readonly to: string; readonly usd: number | null; readonly share: number }[];
}

interface Borrowers {
  readonly chain: string;
  readonly market_id: string;
  readonly tranches: readonly { readonly fall_from: number; readonly debt_usd: number }[];
}

/** The page of a vault that was read and holds markets, of one of its markets, of an asset that something holds, and of a protocol. */
async function subjects(): Promise<Readonly<Record<'market' | 'vault' | 'asset' | 'protocol', string>>> {
  const graph = await rowsOf<Node>('/v2/datasets/exposure-graph');
  const read = await rowsOf<{ readonly chain: string; readonly vault_address: string }>(
    '/v2/datasets/vault-holdings',
  );
  const nodes = new Set(read.map(({ chain, vault_address }) => `vault:${chain}:${vault_address}`));
  const vault = graph.find(
    ({ node, edges }) => nodes.has(node) && edges.some(({ to }) => to.startsWith('market:')),
  );
  const [, chain = '', address = ''] = vault?.node.split(':') ?? [];
  const market = vault?.edges.find(({ to }) => to.startsWith('market:'))?.to.split(':')[2] ?? '';
  const asset = graph.flatMap(({ edges }) => edges).find(({ to }) => to.startsWith('asset:'))?.to ?? '';
  return {
    market: `/lending?chain=${chain}&market=${market}`,
    vault: `/lending?chain=${chain}&vault=${address}`,
    asset: `/lending?holds=${encodeURIComponent(asset)}`,
    protocol: '/protocols?protocol=aave',
  };
}

browserTest.each(['market', 'vault', 'asset', 'protocol'] as const)(
  'the page of a %s begins with what can be lost, and its figures are those of the API',
  async (subject) => {
    const { openTab, url, key } = demo();
    const path = (await subjects())[subject];
    const { page, problems, compared } = await walk(
      openTab,
      url,
      { path, colorScheme: 'light', width: 1_280 },
      key,
    );
    const first = await page.locator('.panel:visible h2').first().innerText();
    expect(first).toMatch(
      /^(What can be lost in|Who is exposed to|What backs it, and what can be withdrawn)/,
    );
    expect(problems).toEqual([]);
    expect(compared).toBeGreaterThan(2);
    // One figure, one source: a second one could say something else.
    const names = await page.locator('.panel:visible .figures .name:first-child').allInnerTexts();
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const elsewhere = page.locator('.panel:not(#vault-state) .figures', { hasText: 'Withdrawable' });
    if (subject === 'vault') expect(await elsewhere.count()).toBe(0);
  },
);

/** `$18.06M` as a number, within its last digit. */
const near = (text: string, value: number): void => {
  const [, digits = '', scale = ''] = /\$([\d,.]+)([KMB]?)/.exec(text) ?? [];
  const factor = { K: 1e3, M: 1e6, B: 1e9 }[scale] ?? 1;
  expect(Math.abs(Number(digits.replaceAll(',', '')) * factor - value)).toBeLessThanOrEqual(factor * 0.006);
};

browserTest('debt at risk is the debt of every tranche that the fall reaches', async () => {
  const all = await rowsOf<Borrowers>('/v2/datasets/borrower-tranches');
  const own = all.find(({ tranches }) => tranches.length > 3);
  const page = await demo().open(`/lending?chain=${own?.chain}&market=${own?.market_id}`);
  const rows = page.locator('#debt-at-risk .panel-body tbody tr');
  await rows.first().waitFor();
  for (const [index, line] of (await rows.allInnerTexts()).entries()) {
    const fall = Number(/([\d.]+) %/.exec(line)?.[1]) / 100;
    const expected = (own?.tranches ?? []).filter(({ fall_from }) => fall_from < fall - 1e-9);
    near(
      line,
      expected.reduce((sum, { debt_usd }) => sum + debt_usd, 0),
    );
    expect(expected.length).toBe(index + 1);
  }
});

browserTest(
  'what cannot be known says so with its reason: a vault whose holdings no source reports',
  async () => {
    const vaults = await rowsOf<Vault>('/v2/datasets/lending-vaults');
    const graph = await rowsOf<Node>('/v2/datasets/exposure-graph');
    const dark = vaults.find(({ chain, vault_address }) => {
      const node = graph.find((one) => one.node === `vault:${chain}:${vault_address}`);
      return node === undefined || node.known_share === 0;
    });
    const page = await demo().open(`/lending?chain=${dark?.chain}&vault=${dark?.vault_address}`);
    await page.locator('#vault-risk footer').waitFor();
    const text = await page.locator('#vault-risk .panel-body').innerText();
    expect(text).toMatch(/not known/);
    expect(text).toMatch(/no source (?:reports|accounts)/);
    expect(text).not.toContain('$0');
  },
);

browserTest('a market that is not published is not shown as one without risk', async () => {
  const page = await demo().open('/lending?chain=ethereum&market=0xnothing');
  await page.locator('#market-risk footer').waitFor();
  expect(await page.locator('#market-risk .panel-body').innerText()).toBe(
    'The state of this market: not known, no source reports it.',
  );
});

const WIDTHS = [390, 1_024, 1_280, 1_920];

browserTest.each(COUNTS.isDashboardWhole ? PAGES : ['/lending', '/pegs', '/networks', '/protocols', 'vault'])(
  '%s fits 390, 1024, 1280 and 1920 pixels, and its head is low on a phone',
  async (path) => {
    const address = path === 'vault' ? (await subjects()).vault : path;
    const page = await demo().open(address);
    await scrollThrough(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await scrollThrough(page);
      expect([width, await page.evaluate(LAYOUT)]).toEqual([width, []]);
      const head = Number(
        await page.evaluate("document.querySelector('header.top').getBoundingClientRect().height"),
      );
      expect(head).toBeLessThanOrEqual(96);
    }
  },
);
