// The raw tables of the vaults domain: the state of a vault at one block, and the positions that it held at that block. Amounts are whole
// numbers in the smallest unit, as the contracts hold them; their prices are computed on the way by share-price.ts.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import {
  amount,
  choice,
  count,
  digits,
  type FieldOptions,
  flag,
  id,
  instant,
  observedAt,
  text,
  word,
} from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';
import { exactPrices } from './share-price.ts';

/** How long a vault that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * DAY_S;

const ADDRESS = word('0x7b2f', { separators: '|:', longest: 200 });
const UINT256_DIGITS = 78;
const UINT128_DIGITS = 39;
const MAX_DECIMALS = 36;

const chain = id('chain', 'Chain name', {
  required: true,
  ...word('ethereum', { separators: '|:', longest: 64 }),
});
const vault_address = id('vault_address', 'Address of the vault', { required: true, ...ADDRESS });
const address = (name: string, description: string, options?: FieldOptions) =>
  id(name, description, { ...ADDRESS, ...options });
const assets = (name: string, description: string) =>
  digits(name, `${description}, in the smallest unit of the asset`, UINT256_DIGITS);
const shares = (name: string, description: string, options?: FieldOptions) =>
  digits(name, `${description}, in the smallest unit of the shares`, UINT256_DIGITS, options);
const ratio = (name: string, description: string) =>
  digits(name, `${description}, in 10^18ths`, UINT256_DIGITS);
const price = (name: string, description: string) =>
  text(name, `${description}, units of the asset for one whole share`, {
    amount: { digits: 60, decimals: 18 },
  });
const gate = (name: string, action: string) =>
  address(name, `\`morpho_v2\`: gate that decides who may ${action}; the zero address for none`);

export const VAULT_KINDS = [
  'morpho_v1_0',
  'morpho_v1_1',
  'morpho_v2',
  'euler_earn',
  'yearn_v3',
  'erc4626',
  'unknown',
] as const;

const totals: readonly RawField[] = [
  assets('total_assets', 'Total assets as the contract quotes them, with interest up to the block'),
  shares('total_supply', 'Shares in existence'),
  shares(
    'fee_shares',
    'Shares that the contract would mint for fees at the block; needed if the vault has a fee and its kind is `morpho_…` or `euler_earn`',
  ),
  shares('address_one_shares', 'Shares of address(1), in whose name losses are paid back; absent for none'),
  assets(
    'real_assets',
    'Value of all positions with interest up to the block, and of the own balance where the contract counts it',
  ),
  assets('idle_assets', 'Balance of the vault itself, where the contract counts it'),
  assets('undistributed_assets', '`morpho_v2`: gains that the quoted assets do not contain yet'),
  assets('lost_assets', 'Losses as the contract states them, which may be late'),
];

const stated: readonly RawField[] = [
  price('share_price', 'Share price as the contract quotes it; used where the totals do not give it'),
  price(
    'backed_share_price',
    'Share price by what backs it; used where the totals do not give it, and never above the share price',
  ),
  text(
    'coverage',
    'Share of the quoted assets that is backed, as a fraction; used where the totals do not give it',
    {
      amount: { digits: 1, decimals: 18 },
    },
  ),
];

const parameters: readonly RawField[] = [
  ratio('performance_fee', 'Fee on interest'),
  ratio('management_fee', 'Fee on total assets a second'),
  ratio('max_rate', '`morpho_v2`: maximum gain of the quoted assets a second'),
  gate('receive_shares_gate', 'receive shares'),
  gate('send_shares_gate', 'send shares'),
  gate('receive_assets_gate', 'receive assets'),
  gate('send_assets_gate', 'deposit assets'),
];

export const vaultState = defineRawTable({
  name: 'vault_state',
  description: 'The state of one vault at one block',
  fields: [
    chain,
    vault_address,
    observedAt('Time of the block that was read'),
    count('block_number', 'Block that was read'),
    choice(
      'kind',
      VAULT_KINDS,
      'Kind of contract, by its factory or by everything that it answers; `erc4626` has a share price and nothing else',
      { required: true },
    ),
    count('asset_decimals', 'Decimals of the asset', { max: MAX_DECIMALS }),
    count('share_decimals', 'Decimals of the shares', { max: MAX_DECIMALS }),
    ...totals,
    ...stated,
    amount('asset_price_usd', 'Price of one unit of the asset, if the source states it, USD'),
    ...parameters,
    count('position_count', 'Number of positions in the reading; shows when one is missing', {
      max: 10_000,
    }),
    text(
      'pending_getters',
      'Changes that wait by the contract’s own getters at the block, as `key@second` joined by spaces, or `none`: `timelock`, `guardian`, `owner`, and `cap|` and `removal|` with the id of each market that it holds; of version 2 the contract and the data of each call, as `contract|data`, and `since|contract` with the block from which on submitted calls are known; `unanswered` if it does not answer; absent if it was not asked',
      { maxLength: 20_000 },
    ),
    text('exact_share_price', 'Share price by the totals, 18 places'),
    text('exact_backed_share_price', 'Share price by the real assets, 18 places'),
    text('exact_coverage', 'Coverage by the real assets, 18 places'),
    text('exact_lost_assets', 'Quoted assets without backing, in the smallest unit of the asset'),
  ],
  subject: ['chain', 'vault_address'],
  maxAgeSeconds: 1.5 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['chain', 'vault_address'] }],
  key: ['chain', 'vault_address', 'observed_at'],
  content: ['kind', 'total_assets', 'total_supply', 'real_assets', 'share_price'],
  time: 'observed_at',
  enrichment: exactPrices,
  isDisputable: true,
  reach: NAME_VALID_S,
  observations: { model: 'obs.vault_state', time: 'observed_at' },
});

const limits: readonly RawField[] = [
  assets('absolute_cap', 'Maximum that the vault may hold there; 2^128 − 1 for no limit'),
  ratio('relative_cap', '`morpho_v2`: maximum as a share of total assets; 10^18 for no limit'),
  count(
    'queue_index',
    'Position in the withdraw queue, from 0; absent if it is not in the queue, or for all positions if it is unknown',
  ),
  flag('is_liquidity', '`morpho_v2`: ordinary withdrawals take from here; unknown when absent'),
  ratio('penalty', '`morpho_v2`: penalty of a forced withdrawal'),
  assets('market_supply', 'Supply of the market by all its suppliers, with interest up to the block'),
  assets('market_cash', 'What all suppliers together could withdraw at the block; at most supply minus debt'),
  digits(
    'max_in',
    'What the public allocator may move into it, in the smallest unit of the asset',
    UINT128_DIGITS,
  ),
  digits(
    'max_out',
    'What the public allocator may move out of it, in the smallest unit of the asset',
    UINT128_DIGITS,
  ),
];

export const vaultPosition = defineRawTable({
  name: 'vault_position',
  description:
    'One position of one vault at one block. The rows of a vault with one observed_at replace all earlier rows of it',
  fields: [
    chain,
    vault_address,
    instant('observed_at', 'Time of the block that was read', { required: true, min: 1 }),
    address('via_address', 'Adapter that holds the position; absent if the vault itself does'),
    choice(
      'held_kind',
      ['market', 'vault', 'unknown'],
      'What is held: `market`, `vault` (any ERC-4626 strategy too), or `unknown` for an adapter that cannot be read',
      { required: true },
    ),
    address(
      'held',
      'Id of the market or address of the vault on the same chain; of an unknown one, the adapter',
      {
        required: true,
      },
    ),
    assets('assets', 'Value of the position with interest up to the block; absent if unknown'),
    shares('shares', 'Shares of the market or vault', {}),
    ...limits,
    address('holder_address', 'Contract that holds the position', {
      required: true,
      computed: 'lower(coalesce(via_address, vault_address))',
    }),
  ],
  subject: ['chain', 'vault_address'],
  maxAgeSeconds: 1.5 * HOUR_S,
  completeness: [{ by: 'nothing', because: 'the state of a vault says how many positions it has' }],
  key: ['chain', 'vault_address', 'observed_at', 'holder_address', 'held'],
  content: ['held_kind', 'assets', 'shares', 'market_cash', 'market_supply'],
  time: 'observed_at',
  reach: NAME_VALID_S,
  observations: { model: 'obs.vault_position', time: 'observed_at' },
});
