// The published lending data: markets and their last state, changes of their parameters, vaults, and the events of vaults.
import {
  LENDING_SERIES,
  LendingMarketSchema,
  LendingVaultSchema,
  MarketParameterChangeSchema,
  VaultEventSchema,
} from '../../../schemas/lending.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineSeries } from '../../define/series.ts';

const TICK_SECONDS = 300;

export const lendingMarkets = defineDataset({
  id: 'lending-markets',
  title: 'Lending markets, the feeds behind them and their last state',
  table: 'out.lending_market',
  key: ['chain', 'market_id'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
  row: LendingMarketSchema,
  updateCadenceSeconds: TICK_SECONDS,
  series: defineSeries({
    definition: LENDING_SERIES,
    table: 'obs.market_state',
    day: 'day',
    at: 'observed_at',
    key: ['chain', 'market_id'],
    gaps: 'derived.market_gap',
  }),
});

export const marketParameterChanges = defineDataset({
  id: 'lending-parameter-changes',
  title: 'Changes of the parameters of lending markets in the last year',
  table: 'out.market_parameter_change',
  key: ['chain', 'market_id', 'changed_at', 'parameter'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', market_id: 'market_id' } },
  isSparse: true,
  row: MarketParameterChangeSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const lendingVaults = defineDataset({
  id: 'lending-vaults',
  title: 'Vaults, their curators and the values set by their events',
  table: 'out.lending_vault',
  key: ['chain', 'vault_address'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  row: LendingVaultSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

export const vaultEvents = defineDataset({
  id: 'vault-events',
  title: 'Governance events of vaults in the last 90 days',
  table: 'out.vault_event',
  key: ['chain', 'tx_hash', 'log_index', 'block_hash'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { chain: 'chain', vault_address: 'vault_address' } },
  isSparse: true,
  row: VaultEventSchema,
  updateCadenceSeconds: TICK_SECONDS,
});
