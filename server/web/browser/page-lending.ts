// Lending and vaults: can I still get out? The lists of all markets and vaults, or the page of one market, of one vault, or of those that
// hold an asset. Each is loaded only if the address names it.
import { html } from 'lit-html';
import { isKnown } from './format.ts';
import { changes, governance } from './lending-changes.ts';
import { LocalPanel, type Panel } from './panel.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';

const all = new LocalPanel(
  'all',
  'Everything that is lent',
  () => html`<p><a href=${link('/lending')}>All markets and vaults</a></p>`,
);

async function shownPanels(): Promise<readonly Panel[]> {
  if (isKnown(param('market')) && isKnown(param('chain'))) {
    const [market, { holders }] = await Promise.all([import('./market-risk.ts'), import('./holders.ts')]);
    return [market.marketRisk, market.debtAtRisk, holders, market.utilization, market.amounts, changes, all];
  }
  if (isKnown(param('vault')) && isKnown(param('chain'))) {
    const [vault, { holders }] = await Promise.all([import('./vault-risk.ts'), import('./holders.ts')]);
    return [vault.vaultRisk, vault.vaultControl, holders, governance, all];
  }
  if (isKnown(param('holds'))) return [(await import('./holders.ts')).holders, all];
  const { markets, vaults } = await import('./lending-lists.ts');
  return [markets, vaults, changes, governance];
}

void shownPanels().then(showPage);
