// The published data about vaults: their newest state and its history, holdings, delayed changes.

import { VaultHoldingsSchema } from '../../../schemas/vault-holdings.ts';
import { VAULT_SERIES, VaultChangeSchema, VaultSchema } from '../../../schemas/vaults.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';

const TICK_SECONDS = 300;

export const vaultStates = defineDataset({
  id: 'vaults',
  title: 'Vaults: share prices and what backs them, withdrawals, flags',
  table: 'out.vault',
  key: ['chain', 'vault_address'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  subjectsOf: ['vault_state', 'vault_position'],
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
  key: ['chain', 'vault_address'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  subjectsOf: ['vault_state', 'vault_position'],
  row: VaultHoldingsSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const vaultChanges = defineDataset({
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
