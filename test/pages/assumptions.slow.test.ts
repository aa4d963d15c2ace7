// Vaults, oracles and contagion over the demo (skipped without Chromium): each scripted incident is visible, every figure is that of the API,
// and what is not known is never shown as well.
import { expect } from 'vitest';
import type { OraclePath } from '../../schemas/oracle-paths.ts';
import type { VaultTotals } from '../../schemas/vault-totals.ts';
import type { Vault, VaultChange } from '../../schemas/vaults.ts';
import { COUNTS } from '../reliability/counts.ts';
import { browserTest, cameToRest } from '../server/web/chromium.ts';
import { demoForFile } from './demo-service.ts';
import { SCHEMES, WIDTHS, walk } from './walk.ts';

const demo = demoForFile();

async function rowsOf<T>(path: string): Promise<T> {
  const response = await fetch(demo().url + path, { headers: { Authorization: `Bearer ${demo().key}` } });
  return ((await response.json()) as { data: T }).data;
}

const oracles = () => rowsOf<readonly OraclePath[]>('/v2/lending/oracles');
/** A page of something that the demo lacks would be another page, with which nothing is wrong. */
function required<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the demo has no ${what}`);
  return found;
}
const constantOf = (all: readonly OraclePath[]): OraclePath =>
  required(
    all.find(({ legs }) => legs.length === 0),
    'oracle with a constant price',
  );
const swappedOf = (all: readonly OraclePath[]): OraclePath =>
  required(
    all.find(({ failed_checks }) => failed_checks.includes('swapped')),
    'oracle with swapped legs',
  );
const oracleAddress = ({ chain, market_id }: OraclePath) => `/oracles?chain=${chain}&market=${market_id}`;

const SUBJECTS = ['swapped', 'constant', 'market', 'vault', 'asset', 'circle'] as const;

/** The page of an oracle with swapped legs, of a constant, of a market, of a vault, and contagion from an asset. */
async function addresses(): Promise<Readonly<Record<(typeof SUBJECTS)[number], string>>> {
  const all = await oracles();
  const constant = constantOf(all);
  const vaults = await rowsOf<readonly Vault[]>('/v2/vaults');
  const lossy = required(
    vaults.find(({ coverage }) => (coverage ?? 1) < 1),
    'vault with a loss',
  );
  return {
    swapped: oracleAddress(swappedOf(all)),
    constant: `${oracleAddress(constant)}&gap=shown`,
    market: `/lending?chain=${constant.chain}&market=${constant.market_id}`,
    vault: `/lending?chain=${lossy.chain}&vault=${lossy.vault_address}`,
    asset: '/contagion?from=USDE',
    circle: '/contagion?from=asset:XUSD',
  };
}

/** Those of markets and vaults are walked with the others of their kind. */
const VIEWS = [
  ['swapped', 'light', 390],
  ['circle', 'dark', 1_280],
] as const;
const ALL = SUBJECTS.flatMap((name) =>
  SCHEMES.flatMap((scheme) => WIDTHS.map((width) => [name, scheme, width] as const)),
);

browserTest.each(COUNTS.isDashboardWhole ? ALL : VIEWS)(
  'the page of %s, %s, %i wide, has no problem',
  async (name, colorScheme, width) => {
    const { openTab, url, key } = demo();
    const path = (await addresses())[name];
    const { problems, compared } = await walk(openTab, url, { path, colorScheme, width }, key);
    expect(problems).toEqual([]);
    expect(compared).toBeGreaterThan(10);
  },
);

browserTest('swapped legs: the page begins with the fault, and its event is there', async () => {
  const page = await demo().open((await addresses()).swapped);
  const sentence = await page.locator('.oracle-sentence').innerText();
  expect(sentence).toMatch(
    /^Its legs are swapped: they give PYUSD\/CBBTC where the market needs CBBTC\/PYUSD; 3 of its 3 assumptions cannot be judged; its price gap is not known, because /,
  );
  expect(sentence).toMatch(/; how much debt is not covered is not known\.$/);
  expect(await page.locator('#oracle .legs .is-off').innerText()).toContain(
    'The legs give PYUSD/CBBTC instead',
  );
  expect(await page.locator('#oracle .panel-body').innerText()).not.toMatch(/✓|\bok\b/);
  await page.locator('#oracle-events').scrollIntoViewIfNeeded();
  expect(await page.locator('#oracle-events td').allInnerTexts()).toContain('◆ critical');
});

browserTest(
  'a hard-coded price is marked, and its chart comes when it is asked for, with exact values',
  async () => {
    const constant = constantOf(await oracles());
    const page = await demo().open(oracleAddress(constant));
    expect(await page.locator('.legs .fixed').innerText()).toMatch(
      /Hard-coded: the whole price\s+One USDE is worth one USDC\./,
    );
    await page.locator('#price-gap button').click();
    await page.locator('#price-gap .chart-cursor').waitFor();
    await page.locator('#price-gap .chart').scrollIntoViewIfNeeded();
    await page.locator('#price-gap .chart [tabindex="0"], #price-gap .chart[tabindex="0"]').first().focus();
    await page.keyboard.press('End');
    const series = await rowsOf<{ readonly columns: { readonly gap_bps: readonly number[] } }>(
      `/v2/lending/markets/${constant.chain}/${constant.market_id}/oracle/series?resolution=1h`,
    );
    const last = series.columns.gap_bps.findLast((value) => value !== null) ?? 0;
    expect(await page.locator('#price-gap .chart-cursor').innerText()).toContain(
      last.toLocaleString('en', { maximumFractionDigits: 2 }),
    );
    expect(page.url()).toContain('gap=shown');
  },
);

browserTest(
  'oracles are listed worst first, and none that is not fully judged looks like one that holds',
  async () => {
    const page = await demo().open('/oracles');
    const rows = page.locator('#oracles tbody tr');
    const texts = await rows.allInnerTexts();
    expect(texts[0]).toContain('◆ wrong');
    const all = await oracles();
    for (const { name, is_broken, gaps } of all) {
      const text = texts.find((one) => one.startsWith(String(name))) ?? '';
      if (is_broken !== null && gaps.length === 0) continue;
      expect(text).toMatch(/wrong|broken|not fully judged|not known/);
      expect(text).not.toMatch(/✓/);
    }
    expect(await page.locator('#assumptions').innerText()).toMatch(/nothing tests it/);
  },
);

browserTest(
  'a hidden loss, a donation, a limited gain and a vault that was never read are named in the list, strangers apart',
  async () => {
    const page = await demo().open('/vaults');
    const vaults = await rowsOf<readonly Vault[]>('/v2/vaults');
    const textOf = async (name: string | null) =>
      (await page.locator('[data-table="Vaults"] tbody tr').allInnerTexts()).find((text) =>
        text.startsWith(String(name)),
      );
    const named = (flag: string) => vaults.find(({ flags }) => flags.includes(flag))?.name ?? null;
    const hidden = vaults.find(({ coverage, kind }) => kind === 'morpho_v1_1' && (coverage ?? 1) < 1);
    expect(await textOf(hidden?.name ?? null)).toMatch(/Only 98\.04 % of what it quotes is backed/);
    expect(await textOf(named('donated'))).toMatch(/rose more than interest can explain/);
    expect(await textOf(named('rate_limited'))).toMatch(/holds gains that it distributes only slowly/);
    expect(await textOf(vaults.find(({ gaps }) => gaps.includes('no_state'))?.name ?? null)).toMatch(
      /never read[\s\S]*not known/,
    );
    const stranger = vaults.find(({ has_metadata }) => !has_metadata)?.vault_address ?? '';
    expect(await page.locator('.table-holder[data-table="Vaults"]').innerText()).not.toContain(
      stranger.slice(2, 6),
    );
    expect(await page.locator('.table-holder[data-table="Vaults in no registry"]').innerText()).toContain(
      stranger.slice(2, 6),
    );
  },
);

browserTest(
  'what the vaults hold together is not known while one of them is not, and is with a filter',
  async () => {
    const page = await demo().open('/vaults');
    const panel = page.locator('#vault-totals');
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('tbody tr').first().waitFor();
    expect(await panel.locator('.figures').innerText()).toMatch(/^Assets\s+not known/);
    await panel.locator('summary', { hasText: 'because of which a figure is not known' }).click();
    expect(await panel.locator('details li').allInnerTexts()).toContainEqual(
      expect.stringMatching(/ on ethereum: its state was never read$/),
    );
    const { assets } = await rowsOf<VaultTotals>('/v2/vaults/totals?kind=morpho_v1_1&state_status=fresh');
    await page.goto(`${demo().url}/vaults?kind=morpho_v1_1&state_status=fresh`);
    await cameToRest(page);
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('tbody tr').first().waitFor();
    expect(await panel.locator('tbody tr').count()).toBe(assets.length);
    expect(await panel.locator('.figures').innerText()).toMatch(
      /^Assets\s+\$[\d.]+M[\s\S]*Withdrawable[^$]*\$[\d.]+M of \$[\d.]+M/,
    );
  },
);

browserTest('a change that waits is on Now with its second, who may revoke it, and its vault', async () => {
  const [change] = await rowsOf<readonly VaultChange[]>('/v2/vaults/changes?status=pending');
  const page = await demo().open('/');
  await page.locator('#pending tbody tr').first().waitFor();
  const text = await page.locator('#pending tbody').innerText();
  const second = new Date((change?.executable_at ?? 0) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  for (const part of [
    change?.statement ?? '?',
    second,
    'by anyone',
    'in 17 h',
    'curator, guardian, owner',
    change?.vault_name ?? '?',
  ])
    expect(text).toContain(part);
  expect(await page.locator('#pending .note').innerText()).toMatch(
    /^As of 2026-03-10 09:30 UTC\. A change may have been executed or revoked since\./,
  );
  await page.locator('#pending tbody a').click();
  await cameToRest(page);
  expect(await page.locator('#vault-delayed').innerText()).toContain(second);
});

browserTest(
  'contagion: the table and the picture have what the API has, keys reach every box, and a circle is named',
  async () => {
    interface Paths {
      readonly nodes: readonly { readonly name: string | null; readonly share_low: number }[];
      readonly reach: { readonly yield: { readonly unknown: number } };
    }
    const found = await rowsOf<Paths>('/v2/exposure/paths?from=asset:USDE');
    const page = await demo().open('/contagion?from=USDE');
    expect(await page.locator('[data-table="What rests on it"] tbody tr').count()).toBe(found.nodes.length);
    expect(await page.locator('.contagion').innerHTML()).toContain(
      `${found.reach.yield.unknown} may: not known`,
    );
    const links = page.locator('.contagion a');
    expect(await links.count()).toBe(found.nodes.length);
    await links.first().focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.querySelector('title').textContent")).toMatch(
      /: [\d.]+ %/,
    );
    const circle = await demo().open('/contagion?from=asset:XUSD');
    expect(await circle.locator('#contagion li', { hasText: 'In a circle' }).innerText()).toContain(
      'DEUSD → XUSD → DEUSD',
    );
    expect(await circle.locator('.contagion .round').count()).toBe(2);
  },
);

browserTest('the search finds vaults, oracles and assumptions', async () => {
  const page = await demo().open('/');
  for (const [typed, heading, name] of [
    ['Anchor USDC Prime', 'Vaults', 'Anchor USDC Prime'],
    ['CBBTC/PYUSD', 'Oracles of markets', 'CBBTC/PYUSD'],
    ['One USDE is worth', 'Assumptions of oracles', 'One USDE is worth one USDC'],
  ] as const) {
    await page.fill('#search', typed);
    const group = page.locator('#found [role=group]', { hasText: heading });
    await group.locator('[role=option]', { hasText: name }).first().waitFor();
  }
});

browserTest(
  'the event of a broken assumption leads to the oracles that make it and to what falls with it',
  async () => {
    const [event] = await rowsOf<
      readonly {
        readonly event_id: string;
        readonly data: { readonly assumption: { readonly id: string } };
      }[]
    >('/v2/events?type=oracle.assumption.broken');
    const id = event?.data.assumption.id ?? '';
    const own = (await oracles()).filter(({ assumption_ids: ids }) => ids.includes(id));
    expect(own.length).toBeGreaterThan(0);
    const page = await demo().open(`/events?id=${event?.event_id}`);
    await page.locator('.links a').first().waitFor();
    const links = await page.locator('.links a').allInnerTexts();
    expect(links).toEqual(
      expect.arrayContaining(['Oracles that assume it', 'What falls with it', 'Oracle of a market']),
    );
    await page.locator('.links a', { hasText: 'Oracles that assume it' }).click();
    await cameToRest(page);
    const rows = await page.locator('#oracles tbody tr').allInnerTexts();
    expect(rows.map((text) => text.split('\n')[0]).sort()).toEqual(own.map(({ name }) => name).sort());
  },
);
