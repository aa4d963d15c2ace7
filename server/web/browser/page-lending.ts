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
    const held = import('./holders.ts');
    const { marketRisk, debtAtRisk, utilization, amounts } = await import('./market-risk.ts');
    return [marketRisk, debtAtRisk, (await held).holders, utilization, amounts, changes, all];
  }
  if (isKnown(param('vault')) && isKnown(param('chain'))) {
    const held = import('./holders.ts');
    const { vaultRisk, vaultControl } = await import('./vault-risk.ts');
    return [vaultRisk, vaultControl, (await held).holders, governance, all];
  }
  if (isKnown(param('holds'))) return [(await import('./holders.ts')).holders, all];
  const { markets, vaults } = await import('./lending-lists.ts');
  return [markets, vaults, changes, governance];
}

void shownPanels().then(showPage);
