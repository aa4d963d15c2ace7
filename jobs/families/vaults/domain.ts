// The vaults domain: share prices and what backs them, what can be withdrawn, holdings, and pending changes.

import { defineDomain } from '../../define/domain.ts';
import { vaultsDemoSources } from '../../sources/demo/vaults.ts';
import { vaultChanges, vaultHoldings, vaultStates } from './dataset.ts';
import { vaultDetectors } from './detectors.ts';
import { vaultsPolicy } from './policy.ts';
import { vaultPosition, vaultState } from './raw.ts';

export const vaults = defineDomain({
  id: 'vaults',
  title: 'Vaults',
  folder: new URL('./', import.meta.url),
  raw: [vaultState, vaultPosition],
  essential: [vaultState],
  policy: [vaultsPolicy],
  datasets: [vaultStates, vaultHoldings, vaultChanges],
  detectors: vaultDetectors,
  links: [
    {
      tables: "derived.vault_holding where held_kind = 'market'",
      of: { chain: 'chain', market_id: 'held' },
      to: { chain: 'chain', vault_address: 'vault_address' },
    },
    {
      tables:
        'derived.lending_market m join derived.lending_vault v on v.chain = m.chain and v.asset_address = m.loan_asset',
      of: { chain: 'm.chain', market_id: 'm.market_id' },
      to: { chain: 'v.chain', vault_address: 'v.vault_address' },
    },
    {
      tables: 'derived.lending_market where collateral_asset is not null',
      of: { chain: 'chain', market_id: 'market_id' },
      to: { chain: 'chain', vault_address: 'collateral_asset' },
    },
    {
      tables: 'derived.dollar_feed f join derived.lending_vault v on upper(v.asset_symbol) = f.symbol',
      of: { chain: 'f.chain', feed_address: 'f.feed_address' },
      to: { chain: 'v.chain', vault_address: 'v.vault_address' },
    },
    {
      tables: "derived.vault_holding where held_kind = 'vault'",
      of: { chain: 'chain', vault_address: 'held' },
      to: { chain: 'chain', vault_address: 'vault_address' },
    },
  ],
  demo: vaultsDemoSources,
});
