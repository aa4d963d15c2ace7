// The vaults domain: share prices and what backs them, what can be withdrawn, holdings, and pending changes.

import { HOUR_S } from '../../../platform/base/time.ts';
import { VaultHoldingsSchema } from '../../../schemas/vault-holdings.ts';
import { VAULT_SERIES, VaultChangeSchema, VaultSchema } from '../../../schemas/vaults.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import type { EventSubject } from '../../define/subject.ts';
import { vaultsDemoSources } from '../../sources/demo/vaults.ts';
import { vaultsPolicy } from './policy.ts';
import { vaultPosition, vaultState } from './raw.ts';

const TICK_SECONDS = 300;

const ONE_PER_VAULT = {
  key: ['chain', 'vault_address'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  subjectsOf: ['vault_state', 'vault_position'],
} as const;

export const vaultStates = defineDataset({
  id: 'vaults',
  title: 'Vaults: share prices and what backs them, withdrawals, flags',
  table: 'out.vault',
  ...ONE_PER_VAULT,
  row: VaultSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: defineSeries({
    definition: VAULT_SERIES,
    table: 'derived.vault_series_point',
    day: 'day',
    at: 'observed_at',
    key: ['chain', 'vault_address'],
    values: {
      share_price: 'cast(cast(share_price as varchar) as double)',
      backed_share_price: 'cast(cast(backed_share_price as varchar) as double)',
      total_supply: 'supply',
    },
    gaps: 'derived.vault_gap',
  }),
});

export const vaultHoldings = defineDataset({
  id: 'vault-holdings',
  title: 'Holdings of vaults, and what they ultimately rest on',
  table: 'out.vault_holding',
  ...ONE_PER_VAULT,
  row: VaultHoldingsSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const vaultChanges = defineDataset({
  id: 'vault-changes',
  title: 'Delayed changes of vaults: pending ones, and those that ended in the last 90 days',
  table: 'out.vault_change',
  key: ['chain', 'tx_hash', 'log_index', 'block_hash'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  isSparse: true,
  row: VaultChangeSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const VAULT = ['vault:{chain}:{vault_address}'] as const satisfies EventSubject;
const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };

/** The event types about the share prices, liquidity and delayed changes of vaults, each detected by `event.<type>.sql` in this folder. */
const vaultDetectors = [
  defineDetector({ type: 'vault.change.pending', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'vault.change.executed', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'vault.change.revoked', subject: VAULT, rules: FINALITY }),
  defineDetector({
    type: 'vault.share_price.fell',
    subject: VAULT,
    cooldown: HOUR_S,
    rules: { threshold: ['vaults.fall'], confirmation: ['vaults.state_max_age_s'] },
  }),
  defineDetector({
    type: 'vault.liquidity.low',
    subject: VAULT,
    cooldown: HOUR_S,
    rules: {
      threshold: ['vaults.liquidity', 'vaults.collateral'],
      confirmation: ['vaults.state_max_age_s'],
      units: [
        [/^vaults\.liquidity\.(low_below|rearm_from)$/, 'fraction'],
        [/^vaults\.collateral\.(high|low|middle)_/, 'fraction'],
        [/^vaults\.collateral\.(buffer|rearm_buffer)$/, 'times'],
      ],
    },
  }),
];

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
