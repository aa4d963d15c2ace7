// The raw table of the pools domain: the state of one automated market maker at one instant, exact to the smallest unit. Lists of the
// coins' values are separated by commas, with or without the brackets and quotes of JSON.
import { HOUR_S } from '../../../platform/base/time.ts';
import { choice, count, digits, flag, form, id, observedAt, text, word } from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

/** How long a pool that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * 86_400;

const MAX_COINS = 8;
const others = (item: string) => `(\\s*,\\s*"?${item}"?){1,${MAX_COINS - 1}}`;
const SYMBOL = '[^\\s,"|\\[\\]]{1,64}';
const DECIMALS = '(3[0-6]|[12]?[0-9])';
/** Contracts compute with 256 bits. */
const INTEGER = '[0-9]{1,78}';

const list = (
  name: string,
  item: string,
  [description, expected, example]: readonly [string, string, string],
) =>
  text(name, description, {
    required: true,
    maxLength: 2_000,
    ...form(
      `\\s*\\[?\\s*"?${item}"?${others(item)}\\s*\\]?\\s*`,
      `two to ${MAX_COINS} ${expected}, separated by commas`,
      example,
    ),
  });

const bare = (field: string) => `regexp_replace(${field}, '[\\[\\]"\\s]', '', 'g')`;
const coins = (field: string) => `length(${field}) - length(replace(${field}, ',', ''))`;

const state: readonly RawField[] = [
  count('fee_pips', 'Fee in millionths of the amount in', { required: true, max: 999_999 }),
  list('symbols', SYMBOL, [
    'Symbols of the coins in the order of the pool, two to eight',
    'symbols',
    'USDC,WETH',
  ]),
  list('decimals', DECIMALS, ['Decimals of each coin, in that order', 'whole numbers up to 36', '6,18']),
  list('reserves', INTEGER, [
    'Reserve of each coin, in its smallest unit, in that order',
    'whole numbers',
    '99123456789012,1234567890123',
  ]),
  count('amplification', '`stable`: A, as the pool reports it', { min: 1, max: 1_000_000 }),
  digits('sqrt_price_x96', '`ticks`: √price · 2^96', 78),
  digits('liquidity', '`ticks`: liquidity in range', 78),
];

export const ammPoolState = defineRawTable({
  name: 'amm_pool_state',
  description: 'The reserves of one automated market maker at one instant, and how it sets its price',
  fields: [
    id('chain', 'Chain name', { required: true, ...word('ethereum', { separators: '|:', longest: 64 }) }),
    id('pool', 'Address of the pool', { required: true, ...word('0x7b2f', { longest: 200 }) }),
    text('venue', 'Exchange that the pool belongs to', { maxLength: 64 }),
    observedAt('Time of the block that was read'),
    count('block_number', 'Block that was read'),
    choice(
      'kind',
      ['product', 'stable', 'ticks'],
      '`product`: x · y = k; `stable`: a StableSwap invariant over coins at par; `ticks`: liquidity in ranges of the price',
      { required: true },
    ),
    ...state,
    flag(
      'is_complete',
      'The lists have one length, two coins except in a `stable` pool, and every parameter of the kind is present',
      {
        required: true,
        computed: `case
        when ${coins('symbols')} <> ${coins('decimals')} or ${coins('symbols')} <> ${coins('reserves')} then null
        when kind = 'stable' and amplification is not null then true
        when kind = 'product' and ${coins('symbols')} = 1 then true
        when kind = 'ticks' and ${coins('symbols')} = 1 and sqrt_price_x96 is not null and liquidity is not null then true
      end`,
      },
    ),
    ...['symbols', 'decimals', 'reserves'].map((field) =>
      text(`${field}_list`, `The same ${field}, separated by commas only, in upper case`, {
        required: true,
        computed: field === 'symbols' ? `upper(${bare(field)})` : bare(field),
      }),
    ),
  ],
  subject: ['chain', 'pool'],
  maxAgeSeconds: 3 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['chain', 'pool'] }],
  key: ['chain', 'pool', 'observed_at'],
  content: [
    'kind',
    'fee_pips',
    'symbols_list',
    'decimals_list',
    'reserves_list',
    'amplification',
    'sqrt_price_x96',
    'liquidity',
  ],
  time: 'observed_at',
  reach: NAME_VALID_S,
  observations: { model: 'obs.amm_pool_state', time: 'observed_at' },
});
