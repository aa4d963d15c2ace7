// The raw tables of network B, the staked network whose nodes have the same interface as NEAR's: blocks, validator responses, and other
// observations of the network. Amounts are digits, in the smallest unit (10^-24 native).
import { DAY_S } from '../../../platform/base/time.ts';
import { count, digits, flag, form, id, number, observedAt, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

/** A sum of thousands of values with 34 digits still fits into 38. */
const AMOUNT_DIGITS = 34;
const NANOSECONDS = '[0-9]{19}';
const ISO_UTC = '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+]00:00)';

const network = id('network', 'Network name, as in the path of its endpoint', {
  required: true,
  maxLength: 64,
});

const yocto = (name: string, description: string) =>
  digits(name, `${description}, 10^-24 native units`, AMOUNT_DIGITS);

export const networkBBlock = defineRawTable({
  name: 'network_b_block',
  description: 'One block of the final chain; a source may deliver height and time only',
  fields: [
    network,
    count('height', 'Height of the block', { required: true }),
    text('block_time', 'Time of the block to the nanosecond: ISO 8601 in UTC, or nanoseconds since 1970', {
      required: true,
      ...form(
        `${NANOSECONDS}|${ISO_UTC}`,
        'a time in UTC, or nanoseconds since 1970 in 19 digits',
        '2026-01-31T09:00:00.123456789Z',
      ),
    }),
    observedAt('Time of the block', {
      min: 0,
      // Without the fraction, because a timestamp in microseconds would round the last nanoseconds of a second up.
      computed: `case when regexp_full_match(block_time, '${NANOSECONDS}') then try_cast(substr(block_time, 1, 10) as bigint)
        else try_cast(epoch(try_cast(regexp_replace(block_time, '[.][0-9]+', '') as timestamptz)) as bigint) end`,
    }),
    count('nanosecond', 'Nanoseconds of the block’s time past the second', {
      required: true,
      max: 999_999_999,
      computed: `try_cast(rpad(case when regexp_full_match(block_time, '${NANOSECONDS}') then substr(block_time, 11)
        else regexp_extract(block_time, '[.]([0-9]+)', 1) end, 9, '0') as bigint)`,
    }),
    yocto('gas_price', 'Price of a unit of gas'),
    yocto('total_supply', 'Total supply as of the block'),
    count('transaction_count', 'Transactions in the block'),
    count('gas_used', 'Gas that the block used, gas', { max: 1e18 }),
    yocto('fees', 'Fees of the block’s transactions'),
    yocto('validator_reward', 'Rewards that validators received with the block'),
  ],
  subject: ['network'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [
    { by: 'cadence', series: ['network'] },
    {
      by: 'nothing',
      because:
        'heights are skipped on this network: a block that is left out does not show within five minutes',
    },
  ],
  key: ['network', 'height'],
  content: ['observed_at', 'block_time', 'transaction_count', 'gas_used'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.network_b_block', time: 'observed_at' },
});

const LISTS = [
  ['current_validators', 'Validators of the current epoch'],
  ['next_validators', 'Validators of the next epoch'],
  ['current_fishermen', 'Fishermen of the current epoch'],
  ['current_proposals', 'Proposals to become a validator'],
  ['prev_epoch_kickout', 'Validators that lost their seat with the last epoch'],
] as const;

const listField = ([name, description]: (typeof LISTS)[number]) =>
  text(name, `${description}: a JSON list as the node returns it; null if the response has no such list`, {
    maxLength: 4_000_000,
  });

/** The list in a form that every engine can split, because engines share no way to unnest a JSON list. */
const entriesField = ([name]: (typeof LISTS)[number]) =>
  text(
    `${name}_entries`,
    `${name}, one entry per line: account, stake, whether slashed, shards and reason, separated by |`,
    {
      computed: `case when json_valid(${name}) then array_to_string(list_transform(json_extract(${name}, '$[*]'), lambda entry: concat(
    json_extract_string(entry, '$.account_id'), '|', coalesce(json_extract_string(entry, '$.stake'), ''), '|',
    coalesce(json_extract_string(entry, '$.is_slashed'), ''), '|',
    translate(coalesce(json_extract_string(entry, '$.shards'), ''), '[] ', ''), '|',
    translate(coalesce(json_extract_string(entry, '$.reason'), ''), chr(10) || '|', '  '))), chr(10)) end`,
    },
  );

const holds = (name: string, member: string, pattern: string) =>
  `len(list_filter(json_extract_string(${name}, '$[*].${member}'), lambda text: regexp_full_match(text, '${pattern}')))
    = json_array_length(${name})`;

/** Every entry has a name and, unless it was kicked out, a stake in digits. An unreadable entry makes the whole response bad. */
const isSoundList = ([name]: (typeof LISTS)[number]) => {
  const stake = name === 'prev_epoch_kickout' ? [] : [holds(name, 'stake', `[0-9]{1,${AMOUNT_DIGITS}}`)];
  const entries = [holds(name, 'account_id', '[^|[:space:]]{1,64}'), ...stake].join(' and ');
  return `(case when ${name} is null then true when not json_valid(${name}) or json_type(${name}) <> 'ARRAY' then false else ${entries} end)`;
};

export const networkBValidators = defineRawTable({
  name: 'network_b_validators',
  description: "A node's validator response at one instant",
  fields: [
    network,
    observedAt('Instant of the figures', { min: 0 }),
    count('epoch_height', 'Number of the current epoch'),
    ...LISTS.map(listField),
    count('num_seats', 'Seats of block producers, from the protocol configuration', { min: 1, max: 1_000 }),
    count(
      'num_validator_seats',
      'Seats of chunk validators, from the protocol configuration, from version 69 on',
      { min: 1, max: 10_000 },
    ),
    count(
      'stake_ratio_denominator',
      'Denominator of minimum_stake_ratio, such as 62500 for 1/62500; by version when absent',
      { min: 2, max: 1_000_000 },
    ),
    count('num_shards', 'Number of shards of the shard layout; number of shards with validators when absent'),
    count('protocol_version', 'Version of the protocol, which decides how a seat is priced'),
    flag('is_readable', 'Every list is a JSON list, and every entry has an account, and a stake in digits', {
      required: true,
      computed: `case when ${LISTS.map(isSoundList).join(' and ')} then true end`,
    }),
    ...LISTS.map(entriesField),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['epoch_height', 'current_validators_entries'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.network_b_validators', time: 'observed_at' },
});

export const networkBState = defineRawTable({
  name: 'network_b_state',
  description: 'Supply, treasury and users at one instant',
  fields: [
    network,
    observedAt('Instant of the figures', { min: 0 }),
    yocto('circulating_supply', 'Circulating supply'),
    yocto('treasury_funds', 'Holdings of the treasury'),
    count('total_users', 'Total number of users, that is accounts'),
    number('balance_gini', 'Gini coefficient of the token balances of all accounts', { min: 0, max: 1 }),
  ],
  subject: ['network'],
  maxAgeSeconds: null,
  completeness: [{ by: 'cadence', series: ['network'] }],
  key: ['network', 'observed_at'],
  content: ['circulating_supply', 'treasury_funds', 'total_users'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.network_b_state', time: 'observed_at' },
});
