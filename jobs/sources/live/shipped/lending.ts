// Lending protocols read from their contracts on Ethereum, and the lists that Morpho keeps of vaults and curators. The addresses of Aave
// come from its address book (github.com/bgd-labs/aave-address-book, MIT): each is an addresses provider, which is never replaced.
import type { LiveSection } from '../fetch/section.ts';
import type { ChainSection } from '../evm/chain-section.ts';
import { ETHEREUM, ETHEREUM_NODE, same } from './ethereum.ts';

export const AAVE_MARKETS = {
  core: '0x2f39d218133AFaB8F2B819B1066c7E434Ad94E9e',
  prime: '0xcfBf336fe147D643B9Cb705648500e101504B16d',
  etherfi: '0xeBa440B438Ad808101d1c451C1C5322c90BEFCdA',
  horizon: '0x5D39E06b825C1F2B80bf2756a73e28eFAA128ba0',
};
export const MORPHO = '0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb';
const MORPHO_LISTS = 'https://raw.githubusercontent.com/morpho-org/morpho-blue-api-metadata/main/data';
/** Morpho's list of vaults, of all chains. */
export const VAULTS = `${MORPHO_LISTS}/vaults-listing.json`;

/** First topics of the governance events of a MetaMorpho vault; deposits and transfers are not among them. */
const VAULT_TOPICS = [
  '0xe86b6d3313d3098f4c5f689c935de8fde876a597c185def2cedab85efedac686',
  '0x01fe2943baee27f47add82886c2200f910c749c461c9b63c5fe83901a53bdb49',
  '0x2e979f80fe4d43055c584cf4a8467c55875ea36728fc37176c05acd784eb7a73',
  '0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506',
  '0xcb11cc8aade2f5a556749d1b2380d108a16fac3431e6a5d5ce12ef9de0bd76e3',
  '0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d',
  '0xd28e9b90ee9b37c5936ff84392d71f29ff18117d7e76bcee60615262a90a3f75',
  '0x6ce31538fc7fba95714ddc8a275a09252b4b1fb8f33d2550aa58a5f62ad934de',
  '0xe0c2db6b54586be6d7d49943139fccf0dd315ba63e55364a76c73cd8fdba724d',
  '0x548669ea9bcc24888e6d74a69c9865fa98d795686853b8aa3eb87814261bbb71',
  '0x2e7908865670e21b9779422cadf5f1cba271a62bb95c71eaaf615c0a1c48ebee',
  '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0',
  '0x89bf199df65bf65155e3e0a8abc4ad4a1be606220c8295840dba2ab5656c1f6d',
  '0xdd8bf5226dff861316e0fa7863fdb7dc7b87c614eb29a135f524eb79d5a1189a',
  '0xe851bb5856808a50efd748be463b8f35bcfb5ec74c5bfde776fe0a4d2a26db27',
  '0x7633313af54753bce8a149927263b1a55eba857ba4ef1d13c6aee25d384d3c4b',
  '0xb3aa0ade2442acf51d06713c2d1a5a3ec0373cce969d42b53f4689f97bccf380',
  '0x3240fc70754c5a2b4dab10bf7081a00024bfc8491581ee3d355360ec0dd91f16',
  '0x38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e22700',
  '0x1026ceca5ed3747eb5edec555732d4a6f901ce1a875ecf981064628cadde1120',
  '0xc40a085ccfa20f5fd518ade5c3a77a7ecbdfbb4c75efcdca6146a8e3c841d663',
  '0x921828337692c347c634c5d2aacbc7b756014674bd236f3cc2058d8e284a951b',
  '0xcbeb8ecdaa5a3c133e62219b63bfc35bce3fda13065d2bed32e3b7dde60a59f4',
];

const MARKET = ['chain', 'market_id', 'protocol', 'loan_asset', 'loan_symbol', 'observed_at'] as const;
const STATE = ['chain', 'market_id', 'observed_at', 'block_number', 'supplied', 'borrowed'] as const;
const RATES = ['supply_apr_pct', 'borrow_apr_pct'] as const;
const ORACLE = ['chain', 'market_id', 'oracle_address', 'feed_address', 'observed_at'] as const;
const PARAMETER = [
  'chain',
  'market_id',
  'observed_at',
  'loan_to_value',
  'liquidation_threshold',
  'reserve_factor',
] as const;

const read = (
  chain: Omit<ChainSection, 'id' | 'nodes'>,
): Pick<LiveSection, 'chain' | 'license' | 'format' | 'request'> => ({
  chain: 'ethereum',
  license: 'facts',
  format: 'ndjson',
  request: { url: ETHEREUM_NODE, chain: { ...ETHEREUM, ...chain }, timeout: '1m' },
});

/** Maps the recordings of another source to a further table. */
export const mapped = (of: string, table: string, name: string, fields: readonly string[]): LiveSection => ({
  table,
  recordings_of: of,
  name,
  chain: 'ethereum',
  license: 'facts',
  format: 'ndjson',
  where: { table },
  fields: same(...fields),
});

/** After the first reading, registry rows are delivered only for new entries, so readings have fewer records. */
const MARKET_GUARDS = { min_records: 1, min_share: 0.2 } as const;

const AAVE: { readonly [id: string]: LiveSection } = {
  'aave-markets': {
    ...read({ read: 'aave_markets', contracts: Object.values(AAVE_MARKETS) }),
    table: 'lending_market',
    name: 'Aave v3 on Ethereum, markets',
    url: 'https://aave.com',
    where: { table: 'lending_market' },
    every: '15m',
    guards: MARKET_GUARDS,
    fields: same(...MARKET),
  },
  'aave-market-states': mapped('aave-markets', 'market_state', 'Aave v3 on Ethereum, amounts and rates', [
    ...STATE,
    ...RATES,
  ]),
  'aave-market-oracles': mapped('aave-markets', 'market_oracle', 'Aave v3 on Ethereum, oracles', ORACLE),
  'aave-market-parameters': mapped('aave-markets', 'market_parameter', 'Aave v3 on Ethereum, parameters', [
    ...PARAMETER,
    'liquidation_bonus',
    'liquidation_protocol_fee',
    ...['supply_cap', 'borrow_cap', 'debt_ceiling', 'is_active', 'is_frozen', 'is_paused'],
    ...['is_borrowing_enabled', 'is_siloed'],
  ]),
};

const MORPHO_MARKETS: { readonly [id: string]: LiveSection } = {
  'morpho-markets': {
    ...read({ read: 'morpho_markets', contracts: [MORPHO], directory: VAULTS }),
    table: 'lending_market',
    name: 'Morpho Blue on Ethereum, markets of listed vaults',
    url: 'https://morpho.org',
    where: { table: 'lending_market' },
    every: '15m',
    guards: MARKET_GUARDS,
    fields: same(...MARKET, 'collateral_asset', 'collateral_symbol', 'lltv'),
  },
  'morpho-market-oracles': mapped(
    'morpho-markets',
    'market_oracle',
    'Morpho Blue on Ethereum, oracles',
    ORACLE,
  ),
  'morpho-market-states': mapped(
    'morpho-markets',
    'market_state',
    'Morpho Blue on Ethereum, amounts and rates',
    [...STATE, ...RATES],
  ),
  'morpho-market-parameters': mapped(
    'morpho-markets',
    'market_parameter',
    'Morpho Blue on Ethereum, parameters',
    PARAMETER,
  ),
  'morpho-vaults': mapped('morpho-markets', 'lending_vault', 'MetaMorpho vaults on Ethereum', [
    ...['chain', 'vault_address', 'protocol', 'name', 'symbol', 'asset_address', 'asset_symbol'],
    ...['curator_address', 'observed_at'],
  ]),
  'morpho-curators': {
    table: 'vault_curator',
    name: 'Morpho curators',
    url: 'https://github.com/morpho-org/morpho-blue-api-metadata',
    license: 'addresses and histories',
    attribution: 'Morpho',
    request: { url: `${MORPHO_LISTS}/curators-listing.json` },
    every: '6h',
    guards: { min_records: 5, present: ['id', 'name', 'addresses'] },
    records: '',
    fields: {
      curator: 'id',
      name: 'name',
      is_verified: 'verified',
      addresses: 'addresses',
      observed_at: { recording: 'as_of' },
    },
  },
};

/** Read up to the newest block, because `vault_log` can withdraw a log. */
const VAULT_LOGS: LiveSection = {
  ...read({ read: 'vault_logs', head: 'latest', directory: VAULTS, topics: VAULT_TOPICS }),
  table: 'vault_log',
  name: 'Governance of MetaMorpho vaults on Ethereum, logs',
  url: 'https://morpho.org',
  every: '5m',
  window: { history: '30d', step: '7d', overlap: '1m' },
  guards: { min_records: 0 },
  fields: same(
    ...['chain', 'vault_address', 'contract_address', 'block_number', 'block_hash', 'block_timestamp'],
    ...['tx_hash', 'log_index'],
    ...['topic0', 'topic1', 'topic2', 'topic3', 'data', 'is_removed', 'removed_at'],
  ),
};

export const LENDING: { readonly [id: string]: LiveSection } = {
  ...AAVE,
  ...MORPHO_MARKETS,
  'morpho-vault-logs': VAULT_LOGS,
};
