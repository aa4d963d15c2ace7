// The lending domain: markets and the oracles behind them, their states and parameters, vaults and their governance events, and curators.

import { HOUR_S } from '../../../platform/base/time.ts';
import {
  LENDING_SERIES,
  LendingMarketSchema,
  LendingVaultSchema,
  MarketParameterChangeSchema,
  VaultEventSchema,
} from '../../../schemas/lending.ts';
import { defineDataset, defineSeries } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import type { EventSubject } from '../../define/subject.ts';
import { lendingDemoSources } from '../../sources/demo/lending.ts';
import { lendingPolicy } from './policy.ts';
import { lendingMarket, lendingProtocol, lendingVault, marketOracle, vaultCurator } from './raw-registry.ts';
import { marketParameter, marketState } from './raw-state.ts';
import { vaultLog } from './raw-vault-log.ts';

const FINALITY = { confirmation: ['lending.default_finality', 'lending.finality'] };
const LIQUIDITY = ['lending.confirm_observations', 'lending.state_max_age_s'];

const VAULT = ['vault:{chain}:{vault_address}'] as const satisfies EventSubject;
const MARKET = ['liquidity:{chain}:{market_id}'] as const satisfies EventSubject;

/** What a log of a vault reports. */
const VAULT_LOG = 'vault_log';

/**
 * The event types about vaults, curators and market liquidity, each detected by `event.<type>.sql` in this folder, and their policy values.
 */
export const lendingDetectors = [
  defineDetector({ type: 'vault.cap.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.fee.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.curator.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'vault.allocation.changed', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'curator.action', subject: VAULT, oneOf: VAULT_LOG, rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.start', subject: VAULT, rules: FINALITY }),
  defineDetector({ type: 'curator.tenure.end', subject: VAULT, rules: FINALITY }),
  defineDetector({
    type: 'liquidity.utilization.spike',
    subject: MARKET,
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.utilization', 'lending.markets'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.(utilization\.[a-z_]+|markets\..*)$/, 'fraction']],
    },
  }),
  defineDetector({
    type: 'liquidity.depth.collapse',
    subject: MARKET,
    cooldown: HOUR_S,
    rules: {
      threshold: ['lending.depth'],
      confirmation: LIQUIDITY,
      units: [[/^lending\.depth\.(collapse_at|rearm_above|withdrawable_[a-z_]+)$/, 'fraction']],
    },
  }),
];

// The published lending data: markets and their last state, changes of their parameters, vaults, and the events of vaults.

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

const marketParameterChanges = defineDataset({
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

const vaultEvents = defineDataset({
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
