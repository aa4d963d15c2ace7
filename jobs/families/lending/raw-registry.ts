// The registries of the lending domain as raw tables: protocols, markets, the oracles behind markets, vaults, curators. Each row is a
// registry entry from one instant on. Two rows of one key conflict if they differ in a column that the models keep.

import { defineRawTable } from '../../define/raw-table.ts';
import {
  chain,
  flag,
  ID,
  is_listed,
  market_id,
  observed_at,
  protocol,
  ratio,
  text,
  vault_address,
} from './raw-fields.ts';

export const lendingProtocol = defineRawTable({
  name: 'lending_protocol',
  description: 'A registry entry of one lending protocol',
  fields: [
    protocol,
    { ...text('name', 'Display name'), required: true },
    text('category', 'Kind of protocol: pooled, isolated, vaults …', 64),
    observed_at,
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['protocol', 'observed_at'],
  content: [],
  time: 'observed_at',
  kept: { model: 'obs.lending_protocol', time: 'observed_at' },
});

export const lendingMarket = defineRawTable({
  name: 'lending_market',
  description: 'A registry entry of one market: the lent asset, the collateral and the classification',
  fields: [
    chain,
    market_id,
    protocol,
    text('name', 'Display name'),
    { ...ID, name: 'loan_asset', description: 'Address of the lent asset' },
    { ...text('loan_symbol', 'Symbol of the lent asset', 64), required: true },
    { ...ID, name: 'collateral_asset', description: 'Address of the collateral; absent if it is pooled' },
    text('collateral_symbol', 'Symbol of the collateral', 64),
    ratio('lltv', 'Liquidation loan-to-value'),
    text('category', 'Kind of assets: stablecoin, blue_chip, lst …', 64),
    text('provider', 'Provider of the oracle', 64),
    text('risk_level', 'Risk level of the classification', 64),
    text('edge_case_flags', 'Edge cases, words separated by commas'),
    is_listed,
    observed_at,
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'market_id', 'observed_at'],
  content: ['protocol', 'loan_asset', 'collateral_asset', 'lltv'],
  time: 'observed_at',
  kept: { model: 'obs.lending_market', time: 'observed_at' },
});

export const marketOracle = defineRawTable({
  name: 'market_oracle',
  description:
    'One feed behind one market. The rows of a market with one observed_at replace all earlier rows of it',
  fields: [
    chain,
    market_id,
    {
      ...ID,
      name: 'oracle_address',
      required: true,
      description: 'Oracle that the market reads: a feed, or an adapter over feeds',
    },
    {
      ...ID,
      name: 'feed_address',
      description: 'Feed that the adapter reads, if known; the oracle itself when absent',
    },
    text('provider', 'Provider of the feed', 64),
    observed_at,
    {
      ...ID,
      name: 'backing_address',
      required: true,
      computed: 'coalesce(feed_address, oracle_address)',
      description: 'Feed that backs the market',
    },
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'market_id', 'oracle_address', 'backing_address', 'observed_at'],
  content: [],
  time: 'observed_at',
  kept: { model: 'obs.market_oracle', time: 'observed_at' },
});

export const lendingVault = defineRawTable({
  name: 'lending_vault',
  description: 'A registry entry of one vault',
  fields: [
    chain,
    vault_address,
    protocol,
    text('name', 'Display name'),
    text('symbol', 'Symbol of the vault’s shares', 64),
    { ...ID, name: 'asset_address', description: 'Address of the asset that the vault accepts' },
    text('asset_symbol', 'Symbol of that asset', 64),
    { ...ID, name: 'curator_address', description: 'Curator at that time' },
    text('version', 'Version of the vault contract', 32),
    is_listed,
    observed_at,
  ],
  subject: ['chain', 'vault_address'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'vault_address', 'observed_at'],
  content: ['protocol', 'asset_address', 'curator_address'],
  time: 'observed_at',
  kept: { model: 'obs.lending_vault', time: 'observed_at' },
});

export const vaultCurator = defineRawTable({
  name: 'vault_curator',
  description: 'A registry entry of one curator, with every address that acts for it',
  fields: [
    { ...text('curator', 'Id of the curator', 64), required: true },
    { ...text('name', 'Display name'), required: true },
    flag('is_verified', 'The registry vouches for the curator'),
    {
      ...text('addresses', 'Addresses on all chains, in any text that contains them in full', 100_000),
      lowercase: true,
      hasLines: true,
    },
    observed_at,
  ],
  subject: ['curator'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['curator', 'observed_at'],
  content: [],
  time: 'observed_at',
  kept: { model: 'obs.vault_curator', time: 'observed_at' },
});
