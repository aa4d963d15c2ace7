// The lending domain: markets and the oracles behind them, their states and parameters, vaults and their governance events, and curators.

import { defineDomain } from '../../define/domain.ts';
import { lendingMarkets, lendingVaults, marketParameterChanges, vaultEvents } from './dataset.ts';
import { lendingDemoSources } from '../../sources/demo/lending.ts';
import { lendingDetectors } from './detectors.ts';
import { lendingPolicy } from './policy.ts';
import { lendingMarket, lendingProtocol, lendingVault, marketOracle, vaultCurator } from './raw-registry.ts';
import { marketParameter, marketState } from './raw-state.ts';
import { vaultLog } from './raw-vault-log.ts';

export const lending = defineDomain({
  id: 'lending',
  title: 'Lending',
  folder: new URL('./', import.meta.url),
  isFirstLook: true,
  raw: [
    lendingProtocol,
    lendingMarket,
    marketOracle,
    marketState,
    marketParameter,
    lendingVault,
    vaultCurator,
    vaultLog,
  ],
  essential: [lendingMarket, marketState],
  policy: [lendingPolicy],
  datasets: [lendingMarkets, marketParameterChanges, lendingVaults, vaultEvents],
  detectors: lendingDetectors,
  links: [
    {
      tables: 'derived.market_oracle',
      of: { chain: 'chain', feed_address: 'feed_address' },
      to: { chain: 'chain', market_id: 'market_id' },
    },
    {
      tables:
        'derived.lending_vault v join derived.vault_curator c on strpos(c.addresses, v.curator_address) > 0',
      of: { curator: 'c.curator' },
      to: { chain: 'v.chain', vault_address: 'v.vault_address' },
    },
  ],
  demo: lendingDemoSources,
});
