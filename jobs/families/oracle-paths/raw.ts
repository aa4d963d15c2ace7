// The raw tables of the oracle paths: what an oracle is made of (legs), and what it answers (price). Numbers of 256 bits land as digits; the
// enrichments compute them a second time, because SQL has no such integers.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import { choice, count, flag, form, hex, id, instant, slug, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import { legValues, oraclePrices } from './enrichments.ts';
import {
  address,
  changeable,
  decimals,
  exact,
  implementation,
  kind,
  kindBy,
  oracleOfMarket,
  parameters,
  signedExact,
} from './raw-fields.ts';

/** How long an oracle that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * DAY_S;
/** A number that makes a row unreadable. */
const NONE = { required: true, max: 0 } as const;

const factors = (side: 'base' | 'quote') =>
  text(
    `${side}_factors`,
    `Values of the ${side} legs from which the price follows, in their order, joined by \`*\`; \`1\` without any`,
    { maxLength: 400, ...form('[0-9]{1,78}(\\*[0-9]{1,78})*', 'digits, joined by `*`', '1020000*99980000') },
  );

export const oracleLeg = defineRawTable({
  name: 'oracle_leg',
  description:
    'One leg of the oracle of one market: a feed or a vault that it reads. The rows of a market with one observed_at belong together and replace all earlier rows of it; their number is `leg_count` of the `oracle_price` of the same time',
  fields: [
    ...oracleOfMarket,
    count('leg_index', 'Order of the legs, from 0: base before quote, a vault before feeds', {
      required: true,
      max: 99,
    }),
    count('parent_index', 'Leg that reads this one, if this is what an adapter reads', { max: 99 }),
    flag('is_standby', 'The leg is part of a path that the oracle does not use now'),
    choice('side', ['base', 'quote'], '`base` legs multiply the price, `quote` legs divide it', {
      required: true,
    }),
    choice('role', ['feed', 'vault'], '`vault`: assets of a vault for `sample` shares', { required: true }),
    address('contract', 'Contract that is read', { required: true }),
    kind('Kind of the contract: `chainlink`, `erc4626`, `capo_rate`, `pendle_linear` …; `unknown`'),
    kindBy,
    text('from_symbol', 'Asset that the value is of; absent if unknown', { maxLength: 64 }),
    text('to_symbol', 'Asset in which the value is; absent if unknown', { maxLength: 64 }),
    choice(
      'pair_by',
      ['token', 'registry', 'description'],
      'How both assets are known: by addresses of tokens, by a `registry`, or only because the contract says so in its `description`',
    ),
    decimals('decimals', 'Decimals of the value: of the feed, or of the asset of the vault'),
    decimals('share_decimals', 'Decimals of the shares of the vault'),
    exact('sample', 'Shares that the oracle converts'),
    signedExact('value', 'Answer at that block, in units of `decimals`; absent if it could not be read'),
    id('unread_reason', 'Why it could not be read: `tolled`, `reverted` …', {
      ...slug('tolled', '._-', 64),
    }),
    instant(
      'answered_at',
      'Time at which the contract says that its answer was updated, Unix seconds; 0 if it has none',
    ),
    signedExact('min_value', 'Smallest answer that the contract admits'),
    signedExact('max_value', 'Largest answer that the contract admits'),
    exact('cap', 'Cap on the value, in its units'),
    parameters('What the value follows from, by the kind of the contract, at that block'),
    ...implementation,
    ...changeable,
    text('computed_value', 'Value by our own arithmetic for its kind', { maxLength: 100 }),
    count('unreadable_parameters', 'Number of parameters that are not digits', NONE),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['chain', 'market_id'] }],
  key: ['chain', 'market_id', 'oracle_address', 'observed_at', 'leg_index'],
  content: ['contract', 'side', 'value'],
  time: 'observed_at',
  enrichment: legValues,
  reach: NAME_VALID_S,
  observations: { model: 'obs.oracle_leg', time: 'observed_at' },
});

export const oraclePrice = defineRawTable({
  name: 'oracle_price',
  description:
    'What the oracle of one market answers at one block. With `leg_count`, its legs were read at the same block, and the row says how the price follows from them',
  fields: [
    ...oracleOfMarket,
    count('block_number', 'Block that was read'),
    exact('price', 'Answer of the oracle; absent if it could not be read'),
    id('unread_reason', 'Why it could not be read: `reverted` …', { ...slug('reverted', '._-', 64) }),
    decimals('price_decimals', 'Decimals of the answer; 36 + loan − collateral decimals when absent'),
    decimals('loan_decimals', 'Decimals of the lent token'),
    decimals('collateral_decimals', 'Decimals of the collateral token'),
    kind('Kind of the oracle: `morpho_v1`, `morpho_v2`, `meta`, `aave` …; `unknown`'),
    kindBy,
    count(
      'leg_count',
      'Number of its legs, also standby ones and those below adapters; absent if they were not read',
      {
        max: 100,
      },
    ),
    exact('scale_factor', '`SCALE_FACTOR` of the contract; 1 for an oracle that answers with its feed'),
    factors('base'),
    factors('quote'),
    ...implementation,
    ...changeable,
    address('standby_address', 'Oracle that takes over, if there is one'),
    exact('standby_price', 'Its answer at the same block; absent if it could not be read'),
    exact('deviation_threshold', 'Deviation of both above which it can take over, in 10^18ths'),
    count('challenge_timelock_s', 'Seconds from a challenge until it can take over'),
    count('healing_timelock_s', 'Seconds from the start of healing until the first can take over again'),
    instant('challenge_expires_at', 'Time from which a running challenge can be accepted, Unix seconds'),
    address('change_tx_hash', 'Transaction that last changed the oracle, if a log says so', {
      ...hex(64, 'a hash of 32 bytes'),
    }),
    address('change_caller', 'Account that sent it'),
    id('change_cause', 'What the log says was changed', { ...slug('cap_parameters', '._-', 64) }),
    text('computed_price', 'Price by our own arithmetic over the legs', { maxLength: 400 }),
    text('price_decimal', 'Price as a decimal number: loan per unit of collateral', { maxLength: 200 }),
    flag('has_answer', 'The row has a price, or the reason for its absence', {
      required: true,
      computed: 'case when price is not null or unread_reason is not null then true end',
      otherwise: 'a row has a `price`, or an `unread_reason`',
    }),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: 2 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['chain', 'market_id'] }],
  key: ['chain', 'market_id', 'oracle_address', 'observed_at'],
  content: ['price', 'scale_factor'],
  time: 'observed_at',
  enrichment: oraclePrices,
  reach: NAME_VALID_S,
  observations: { model: 'obs.oracle_price', time: 'observed_at' },
});
