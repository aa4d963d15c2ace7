// The raw tables of the oracle domain: what any source of feeds and rounds delivers.
import { HOUR_S } from '../../../platform/base/time.ts';
import { PRICE_SOURCE_KINDS } from '../../../schemas/oracles.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const ADDRESS_LENGTH = 80;
const ANSWER = '-?[0-9]{1,78}';
const ROUND = '(0|[1-9][0-9]{0,37})';

export const feedRegistry = defineRawTable({
  name: 'feed_registry',
  description: 'A registry entry of one feed from one instant on',
  fields: [
    {
      name: 'chain',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description: 'Chain name',
    },
    {
      name: 'provider',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description: 'Oracle provider',
    },
    {
      name: 'feed_address',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: ADDRESS_LENGTH,
      description: 'Proxy address, or the id of a feed that has no proxy',
    },
    {
      name: 'name',
      type: 'VARCHAR',
      required: true,
      maxLength: 200,
      description: 'Name as the provider writes it, for example `USDT / USD`',
    },
    { name: 'base', type: 'VARCHAR', maxLength: 64, description: 'Base asset symbol' },
    { name: 'quote', type: 'VARCHAR', maxLength: 64, description: 'Quote asset symbol' },
    {
      name: 'base_address',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: ADDRESS_LENGTH,
      pattern: '[^\\s|]+',
      description:
        'Contract address or id of the base asset; without one the asset is identified by its symbol on the chain',
    },
    {
      name: 'source_kind',
      type: 'VARCHAR',
      lowercase: true,
      pattern: PRICE_SOURCE_KINDS.join('|'),
      description:
        "Whether the feed's prices are an oracle's own aggregate (oracle), those of one venue, or the rate of one pool; oracle when absent",
    },
    {
      name: 'category',
      type: 'VARCHAR',
      maxLength: 64,
      description: 'What the feed reports: price, reserves, NAV …',
    },
    { name: 'asset_class', type: 'VARCHAR', maxLength: 64, description: 'Class of the base asset' },
    {
      name: 'risk_level',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: 64,
      description: "The provider's own market-risk category",
    },
    {
      name: 'heartbeat_s',
      type: 'BIGINT',
      min: 1,
      max: 31_536_000,
      description: 'Maximum time between two updates, seconds',
    },
    {
      name: 'deviation_bps',
      type: 'DOUBLE',
      min: 0,
      description: 'Price move that triggers an update, basis points',
    },
    { name: 'decimals', type: 'BIGINT', min: 0, max: 38, description: 'Decimals of an answer' },
    {
      name: 'market_hours',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: 64,
      description: 'Name of the market whose opening hours the feed follows',
    },
    {
      name: 'min_answer',
      type: 'VARCHAR',
      pattern: ANSWER,
      description: 'Lowest answer that the feed can give, as it reports answers: an answer at it is no price',
    },
    {
      name: 'max_answer',
      type: 'VARCHAR',
      pattern: ANSWER,
      description: 'Highest answer that the feed can give, as it reports answers',
    },
    {
      name: 'reports_rounds',
      type: 'BOOLEAN',
      description:
        'False for a feed that gives round 0 or time 0 by design: its answers count, and its freshness cannot be verified',
    },
    {
      name: 'pool_address',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: 200,
      pattern: '[^\\s|]+',
      description:
        "Pool whose rate a `pool` feed reports, as the states of pools name it; the feed's own address when absent",
    },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 0,
      description: 'Time from which the entry holds, Unix seconds',
    },
  ],
  subject: ['chain', 'feed_address'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['chain', 'provider', 'feed_address', 'observed_at'],
  content: [
    'heartbeat_s',
    'deviation_bps',
    'decimals',
    'risk_level',
    'category',
    'pool_address',
    'min_answer',
    'max_answer',
    'reports_rounds',
  ],
  time: 'observed_at',
  kept: { model: 'obs.feed_registry', time: 'observed_at' },
});

export const feedBounds = defineRawTable({
  name: 'feed_bounds',
  description:
    'The lowest and the highest answer that one feed can give, as its contract states them from one instant on',
  fields: [
    {
      name: 'chain',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description: 'Chain name',
    },
    {
      name: 'feed_address',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: ADDRESS_LENGTH,
      description: 'Address of the feed in the registry',
    },
    {
      name: 'aggregator_address',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: ADDRESS_LENGTH,
      description: 'Contract behind the proxy of the feed that states them',
    },
    { name: 'min_answer', type: 'VARCHAR', required: true, pattern: ANSWER, description: 'Lowest answer' },
    { name: 'max_answer', type: 'VARCHAR', required: true, pattern: ANSWER, description: 'Highest answer' },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 0,
      description: 'Time from which they hold, Unix seconds',
    },
  ],
  subject: ['chain', 'feed_address'],
  supplements: 'feed_registry',
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'bounds are delivered when they change' }],
  key: ['chain', 'feed_address', 'observed_at'],
  content: ['min_answer', 'max_answer'],
  time: 'observed_at',
  kept: { model: 'obs.feed_bounds', time: 'observed_at' },
});

export const feedRound = defineRawTable({
  name: 'feed_round',
  description: 'One answer of one feed',
  fields: [
    {
      name: 'chain',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description: 'Chain name',
    },
    {
      name: 'feed_address',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: ADDRESS_LENGTH,
      description: 'Address of the feed in the registry',
    },
    {
      name: 'round_id',
      type: 'VARCHAR',
      required: true,
      pattern: ROUND,
      description: 'Round id; on proxies (phase << 64) + round, which exceeds 2^53',
    },
    {
      name: 'answer',
      type: 'VARCHAR',
      required: true,
      amount: { digits: 78, decimals: 0, isSigned: true },
      description: 'Answer as reported, an integer',
    },
    {
      name: 'decimals',
      type: 'BIGINT',
      required: true,
      min: 0,
      max: 38,
      description: 'Decimals of the answer',
    },
    {
      name: 'price',
      type: 'DOUBLE',
      required: true,
      min: -1e20,
      max: 1e20,
      computed: 'try_cast(answer as double) / power(10, decimals)',
      description: 'answer / 10^decimals, in the quote',
    },
    {
      name: 'updated_at',
      type: 'BIGINT',
      required: true,
      min: 0,
      description: 'Time of the answer, Unix seconds; 0 for a round that was never answered',
    },
    {
      name: 'answered_in_round',
      type: 'VARCHAR',
      pattern: ROUND,
      description:
        'Round in which the answer was computed; an earlier one than its own makes the answer invalid',
    },
    { name: 'block_number', type: 'BIGINT', min: 0, description: 'Block of the answer' },
    {
      name: 'tx_hash',
      type: 'VARCHAR',
      lowercase: true,
      maxLength: 128,
      description: 'Transaction of the answer',
    },
    { name: 'log_index', type: 'BIGINT', min: 0, description: 'Index of its log in the block' },
  ],
  subject: ['chain', 'feed_address'],
  maxAgeSeconds: 25 * HOUR_S,
  completeness: [
    { by: 'sequence', field: 'round_id' },
    {
      by: 'nothing',
      because:
        'a round that a source without consecutive round ids leaves out does not show between two heartbeats',
    },
  ],
  key: ['chain', 'feed_address', 'round_id'],
  content: ['answer', 'updated_at'],
  time: 'updated_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.feed_round', time: 'observed_at' },
});
