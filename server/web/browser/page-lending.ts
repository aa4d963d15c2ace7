// Lending: can I still get out? The lists of all markets and vaults, or the page of one market, of one vault, or of those that
// hold an asset. Each is loaded only if the address names it.
import { html } from 'lit-html';
import { isKnown } from './format.ts';
import { LocalPanel, type Panel } from './panel.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';

const all = new LocalPanel(
  'all',
  'Everything that is lent',
  () =>
    html`<p><a href=${link('/lending')}>All markets</a>, <a href=${link('/vaults')}>all vaults</a>, <a href=${link('/oracles')}>all oracles of markets</a></p>`,
);

/** The chart library is large: it is loaded when a reader asks for the chart. */
const toPrices = new LocalPanel('share-prices', 'Share prices', () => {
  const address = link('/lending', { chain: param('chain'), vault: param('vault'), prices: 'shown' });
  return html`<p><a href=${address}>The share prices as a chart</a></p>`;
});

async function shownPanels(): Promise<readonly Panel[]> {
  if (isKnown(param('market')) && isKnown(param('chain'))) {
    const held = import('./holders.ts');
    const changed = import('./lending-changes.ts');
    const oracle = import('./market-oracle.ts');
    const { marketRisk, debtAtRisk, utilization, amounts } = await import('./market-risk.ts');
    const [{ holders }, { changes }, { marketOracle }] = [await held, await changed, await oracle];
    return [marketRisk, marketOracle, debtAtRisk, holders, utilization, amounts, changes, all];
  }
  if (isKnown(param('vault')) && isKnown(param('chain'))) {
    const held = import('./holders.ts');
    const acts = import('./vault-acts.ts');
    const oracle = import('./market-oracle.ts');
    const prices = isKnown(param('prices')) ? [(await import('./vault-prices.ts')).sharePrices] : [toPrices];
    const { vaultState, vaultDelayed } = await import('./vault-state.ts');
    const { vaultRisk, vaultControl } = await import('./vault-risk.ts');
    const further = [(await held).holders, (await acts).governance];
    const { vaultOracles } = await oracle;
    return [vaultState, vaultDelayed, vaultRisk, vaultOracles, ...prices, vaultControl, ...further, all];
  }
  if (isKnown(param('holds'))) return [(await import('./holders.ts')).holders, all];
  const [changed, acts] = [import('./lending-changes.ts'), import('./vault-acts.ts')];
  const { markets, vaults } = await import('./lending-lists.ts');
  return [markets, vaults, (await changed).changes, (await acts).governance];
}

void shownPanels().then(showPage);
