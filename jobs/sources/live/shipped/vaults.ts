// Vaults of Morpho on Ethereum, and the oracles of the markets that they hold and of Aave's markets, as their contracts state them. Off by
// default: vaults are read with some fifty requests, every quarter of an hour. The factory of version 1.0 is the one in Morpho's
// documentation; those of later versions, of oracles, and the public allocator are on its page of addresses (docs.morpho.org), for operators
// to add.
import type { LiveSection } from '../fetch/section.ts';
import { ETHEREUM, ETHEREUM_NODE, same } from './ethereum.ts';
import { AAVE_MARKETS, mapped, MORPHO, VAULTS } from './lending.ts';

const FACTORIES = ['0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101'];

const STATE = [
  ...['chain', 'vault_address', 'observed_at', 'block_number', 'kind', 'asset_decimals', 'share_decimals'],
  ...['total_assets', 'total_supply', 'fee_shares', 'address_one_shares', 'real_assets', 'idle_assets'],
  ...['undistributed_assets', 'lost_assets', 'share_price', 'performance_fee', 'management_fee', 'max_rate'],
  ...['receive_shares_gate', 'send_shares_gate', 'receive_assets_gate', 'send_assets_gate', 'position_count'],
  'pending_getters',
];
const POSITION = [
  ...['chain', 'vault_address', 'observed_at', 'via_address', 'held_kind', 'held', 'assets', 'shares'],
  ...['absolute_cap', 'relative_cap', 'penalty', 'queue_index', 'is_liquidity'],
  ...['market_supply', 'market_cash', 'max_in', 'max_out'],
];
const PRICE = [
  ...['chain', 'market_id', 'oracle_address', 'observed_at', 'block_number', 'price', 'unread_reason'],
  ...['price_decimals', 'loan_decimals', 'collateral_decimals', 'kind', 'kind_by', 'leg_count'],
  ...['scale_factor', 'base_factors', 'quote_factors', 'implementation', 'code_hash', 'changed_by'],
  ...['changed_how', 'change_delay_s', 'standby_address', 'standby_price', 'deviation_threshold'],
  ...['challenge_timelock_s', 'healing_timelock_s'],
];
const LEG = [
  ...['chain', 'market_id', 'oracle_address', 'observed_at', 'leg_index', 'parent_index', 'is_standby'],
  ...['side', 'role', 'contract', 'kind', 'kind_by', 'from_symbol', 'to_symbol', 'pair_by', 'decimals'],
  ...['share_decimals', 'sample', 'value', 'unread_reason', 'answered_at', 'min_value', 'max_value', 'cap'],
  ...['parameters', 'implementation', 'code_hash', 'changed_by', 'changed_how'],
];

const FROM_CONTRACTS = {
  url: 'https://docs.morpho.org',
  license: 'facts',
  chain: 'ethereum',
  format: 'ndjson',
  every: '15m',
  is_on: false,
} as const;

export const MORPHO_VAULTS: { readonly [id: string]: LiveSection } = {
  'morpho-vault-states': {
    ...FROM_CONTRACTS,
    table: 'vault_state',
    name: 'Vaults of Morpho on Ethereum, states',
    request: {
      url: ETHEREUM_NODE,
      chain: {
        ...ETHEREUM,
        ...{ read: 'vault_states', contracts: [MORPHO], directory: VAULTS, vault_factories: FACTORIES },
      },
      timeout: '1m',
    },
    where: { table: 'vault_state' },
    fields: same(...STATE),
  },
  'morpho-vault-positions': {
    ...mapped('morpho-vault-states', 'vault_position', 'Vaults of Morpho on Ethereum, positions', POSITION),
    is_on: false,
  },
  'morpho-oracle-prices': {
    ...FROM_CONTRACTS,
    table: 'oracle_price',
    name: 'Oracles of markets of Morpho on Ethereum, prices',
    request: {
      url: ETHEREUM_NODE,
      chain: { ...ETHEREUM, read: 'oracle_paths', contracts: [MORPHO], directory: VAULTS },
      timeout: '1m',
    },
    where: { table: 'oracle_price' },
    fields: same(...PRICE),
  },
  'morpho-oracle-legs': {
    ...mapped('morpho-oracle-prices', 'oracle_leg', 'Oracles of markets of Morpho on Ethereum, legs', LEG),
    is_on: false,
  },
  'aave-oracle-prices': {
    ...FROM_CONTRACTS,
    url: 'https://aave.com',
    table: 'oracle_price',
    name: 'Oracles of Aave v3 on Ethereum, prices',
    request: {
      url: ETHEREUM_NODE,
      chain: { ...ETHEREUM, read: 'aave_oracles', contracts: Object.values(AAVE_MARKETS) },
      timeout: '1m',
    },
    every: '1h',
    where: { table: 'oracle_price' },
    fields: same(...PRICE),
  },
  'aave-oracle-legs': {
    ...mapped('aave-oracle-prices', 'oracle_leg', 'Oracles of Aave v3 on Ethereum, price sources', LEG),
    is_on: false,
  },
};
