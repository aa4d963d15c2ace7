// The raw tables of the yield domain: pools as observed by a source, the coins that back them, and their venues.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  count,
  type FieldOptions,
  flag,
  instant,
  number,
  observedAt,
  oneOf,
  text,
  usd,
  word,
} from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

/** An APY beyond this is an error of units; merely implausible values are kept and flagged. */
const MAX_APY = 1e12;

const label = (name: string, description: string, options?: FieldOptions) =>
  text(name, description, { maxLength: 300, ...options });

const apy = (name: string, description: string) =>
  number(name, `${description}, percent a year`, { min: -100, max: MAX_APY });

/** One word in lower case, because names in a list are separated by commas and those in an id by slashes. */
const idPart = (name: string, from: string, description: string) =>
  text(name, description, {
    required: true,
    ...word('aave-v3', { separators: '/,' }),
    computed: `regexp_replace(trim(lower(${from})), '\\s+', '-', 'g')`,
  });

const figures: readonly RawField[] = [
  usd('tvl_usd', 'Total value locked'),
  usd('available_liquidity_usd', 'Amount that can be withdrawn at once'),
  apy('net_apy', 'Total yield paid'),
  apy('base_apy', 'Without rewards'),
  apy('reward_apy', 'Paid in reward tokens'),
  apy('apy_mean_30d', '30-day mean as the source reports it'),
  count('track_record_days', 'Days for which the source knows the pool', { max: 36_500 }),
  flag('has_il_risk', 'Impermanent loss is possible'),
  label('exposure', 'Exposure to one asset or to several', {
    lowercase: true,
    ...oneOf(['single', 'multi']),
  }),
  label('withdrawal_state', 'How a deposit can be withdrawn', {
    lowercase: true,
    ...oneOf(['instant', 'queue', 'locked', 'paused']),
  }),
  count('lockup_seconds', 'Seconds until a deposit can be withdrawn', { max: 3_153_600_000 }),
  flag('is_outlier', 'The source marks its figures as an outlier'),
];

const descriptions: readonly RawField[] = [
  label('asset', 'Symbol of the deposit, for example `USDC` or `DAI-SUSDE`', { required: true }),
  label('label', 'What distinguishes the pool from others of the venue with the same asset'),
  label('strategy', 'What earns the yield: `lending`, `lp`, `staking`, …', {
    lowercase: true,
    ...word('lending', { separators: ',' }),
  }),
  label('directionality', 'Market exposure of a depositor', {
    lowercase: true,
    ...oneOf(['neutral', 'long', 'short', 'mixed']),
  }),
  flag('is_stablecoin', 'Every asset is a stablecoin'),
  count('tier', '1 own chain reads, 2 indexer, 3 vendor API', { min: 1, max: 3 }),
  label('curator', 'Manager of the pool'),
  label('address', 'Contract', { lowercase: true }),
  label('url', 'Web page of the pool', { maxLength: 2_000 }),
];

export const yieldPool = defineRawTable({
  name: 'yield_pool',
  description: 'One source’s report on one pool at one instant; figures that it does not report are null',
  fields: [
    label('pool_id', 'Id of the pool at its source', {
      required: true,
      ...word('747c1d2a', { separators: '' }),
    }),
    label('project', 'Protocol as the source writes it, for example `aave-v3`', { required: true }),
    label('chain_name', 'Chain as the source writes it', { required: true }),
    observedAt('Time at which it held'),
    ...descriptions,
    ...figures,
    idPart('venue', 'project', 'Protocol in lower case'),
    idPart('chain', 'chain_name', 'Chain in lower case'),
    text('opportunity_id', 'Chain, venue and pool: two venues that list one pool are two opportunities', {
      required: true,
      computed:
        "concat(regexp_replace(trim(lower(chain_name)), '\\s+', '-', 'g'), '/', regexp_replace(trim(lower(project)), '\\s+', '-', 'g'), '/', pool_id)",
    }),
  ],
  subject: ['opportunity_id'],
  maxAgeSeconds: 1.5 * DAY_S,
  completeness: [{ by: 'cadence', series: ['opportunity_id'] }],
  key: ['opportunity_id', 'observed_at'],
  content: figures.map(({ name }) => name),
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.yield_pool', time: 'observed_at' },
});

export const yieldCoin = defineRawTable({
  name: 'yield_coin',
  description: 'A registry entry of one pegged coin, from one instant on',
  fields: [
    label('coin_id', 'Id of the coin in the registry', { required: true }),
    label('symbol', 'Symbol', { required: true, ...word('lending', { separators: ',' }) }),
    label('name', 'Name'),
    label('peg_type', 'What the coin is pegged to, in the words of the registry'),
    label('mechanism', 'Backing of the coin: `fiat-backed`, `crypto-backed`, `algorithmic`', {
      lowercase: true,
    }),
    flag('is_yield_bearing', 'The coin accrues yield and trades above its peg by design'),
    observedAt('Time from which the entry holds'),
  ],
  subject: ['coin_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['coin_id', 'observed_at'],
  content: ['symbol', 'mechanism', 'is_yield_bearing'],
  time: 'observed_at',
  observations: { model: 'obs.yield_coin', time: 'observed_at' },
});

export const yieldVenue = defineRawTable({
  name: 'yield_venue',
  description: 'The known facts about one venue: its age, audits and incidents',
  fields: [
    label('project', 'Protocol as the source writes it', { required: true }),
    instant('launched_at', 'Time of the first deployment', { min: 1 }),
    count('audits', 'Published audits', { max: 10_000 }),
    count('incidents', 'Incidents in which depositors lost funds', { max: 10_000 }),
    observedAt('Time from which it is known'),
    idPart('venue', 'project', 'Protocol in lower case'),
  ],
  subject: ['venue'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['venue', 'observed_at'],
  content: ['launched_at', 'audits', 'incidents'],
  time: 'observed_at',
  observations: { model: 'obs.yield_venue', time: 'observed_at' },
});
