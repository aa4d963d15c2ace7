// The registries of the lending domain as raw tables: protocols, markets, the oracles behind markets, vaults, curators. Each row is a
// registry entry from one instant on. Two rows of one key conflict if they differ in a column that the models keep.

import { chain, flag, fraction, observedAt, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import { address, is_listed, market_id, protocol, vault_address } from './raw-fields.ts';

export const lendingProtocol = defineRawTable({
  name: 'lending_protocol',
  description: 'A registry entry of one lending protocol',
  fields: [
    protocol,
    text('name', 'Display name', { required: true, maxLength: 200 }),
    text('category', 'Kind of protocol: pooled, isolated, vaults …', { maxLength: 64 }),
    observedAt('Time from which the entry holds'),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['protocol', 'observed_at'],
  content: [],
  time: 'observed_at',
  observations: { model: 'obs.lending_protocol', time: 'observed_at' },
});

export const lendingMarket = defineRawTable({
  name: 'lending_market',
  description: 'A registry entry of one market: the lent asset, the collateral and the classification',
  fields: [
    chain,
    market_id,
    protocol,
    text('name', 'Display name', { maxLength: 200 }),
    address('loan_asset', 'Address of the lent asset'),
    text('loan_symbol', 'Symbol of the lent asset', { required: true, maxLength: 64 }),
    address('collateral_asset', 'Address of the collateral; absent if it is pooled'),
    text('collateral_symbol', 'Symbol of the collateral', { maxLength: 64 }),
    fraction('lltv', 'Liquidation loan-to-value'),
    text('category', 'Kind of assets: stablecoin, blue_chip, lst …', { maxLength: 64 }),
    text('provider', 'Provider of the oracle', { maxLength: 64 }),
    text('risk_level', 'Risk level of the classification', { maxLength: 64 }),
    text('edge_case_flags', 'Edge cases, words separated by commas', { maxLength: 200 }),
    is_listed,
    observedAt('Time from which the entry holds'),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'market_id', 'observed_at'],
  content: ['protocol', 'loan_asset', 'collateral_asset', 'lltv'],
  time: 'observed_at',
  observations: { model: 'obs.lending_market', time: 'observed_at' },
});

export const marketOracle = defineRawTable({
  name: 'market_oracle',
  description:
    'One feed behind one market. The rows of a market with one observed_at replace all earlier rows of it',
  fields: [
    chain,
    market_id,
    address('oracle_address', 'Oracle that the market reads: a feed, or an adapter over feeds', {
      required: true,
    }),
    address('feed_address', 'Feed that the adapter reads, if known; the oracle itself when absent'),
    text('provider', 'Provider of the feed', { maxLength: 64 }),
    observedAt('Time from which the entry holds'),
    address('backing_address', 'Feed that backs the market', {
      required: true,
      computed: 'coalesce(feed_address, oracle_address)',
    }),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'market_id', 'oracle_address', 'backing_address', 'observed_at'],
  content: [],
  time: 'observed_at',
  observations: { model: 'obs.market_oracle', time: 'observed_at' },
});

export const lendingVault = defineRawTable({
  name: 'lending_vault',
  description: 'A registry entry of one vault',
  fields: [
    chain,
    vault_address,
    protocol,
    text('name', 'Display name', { maxLength: 200 }),
    text('symbol', 'Symbol of the vault’s shares', { maxLength: 64 }),
    address('asset_address', 'Address of the asset that the vault accepts'),
    text('asset_symbol', 'Symbol of that asset', { maxLength: 64 }),
    address('curator_address', 'Curator at that time'),
    text('version', 'Version of the vault contract', { maxLength: 32 }),
    is_listed,
    observedAt('Time from which the entry holds'),
  ],
  subject: ['chain', 'vault_address'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'vault_address', 'observed_at'],
  content: ['protocol', 'asset_address', 'curator_address'],
  time: 'observed_at',
  observations: { model: 'obs.lending_vault', time: 'observed_at' },
});

export const vaultCurator = defineRawTable({
  name: 'vault_curator',
  description: 'A registry entry of one curator, with every address that acts for it',
  fields: [
    text('curator', 'Id of the curator', { required: true, maxLength: 64 }),
    text('name', 'Display name', { required: true, maxLength: 200 }),
    flag('is_verified', 'The registry vouches for the curator'),
    text('addresses', 'Addresses on all chains, in any text that contains them in full', {
      maxLength: 100_000,
      lowercase: true,
      hasLines: true,
    }),
    observedAt('Time from which the entry holds'),
  ],
  subject: ['curator'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['curator', 'observed_at'],
  content: [],
  time: 'observed_at',
  observations: { model: 'obs.vault_curator', time: 'observed_at' },
});
