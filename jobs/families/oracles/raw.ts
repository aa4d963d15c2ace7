// The raw tables of the oracle domain: what any source of feeds and rounds delivers.
import { HOUR_S } from '../../../platform/base/time.ts';
import { PRICE_SOURCE_KINDS } from '../../../schemas/oracles.ts';
import {
  chain,
  choice,
  count,
  flag,
  form,
  id,
  instant,
  number,
  observedAt,
  text,
  word,
} from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const ADDRESS_LENGTH = 80;
const ANSWER = form('-?[0-9]{1,78}', 'a whole number of at most 78 digits', '100000000');
const ROUND = form(
  '(0|[1-9][0-9]{0,37})',
  'a whole number of at most 38 digits without leading zeros',
  '18446744073709551617',
);

export const feedRegistry = defineRawTable({
  name: 'feed_registry',
  description: 'A registry entry of one feed from one instant on',
  fields: [
    chain,
    id('provider', 'Oracle provider', { required: true, maxLength: 64 }),
    id('feed_address', 'Proxy address, or the id of a feed that has no proxy', {
      required: true,
      maxLength: ADDRESS_LENGTH,
    }),
    text('name', 'Name as the provider writes it, for example `USDT / USD`', {
      required: true,
      maxLength: 200,
    }),
    text('base', 'Base asset symbol', { maxLength: 64 }),
    text('quote', 'Quote asset symbol', { maxLength: 64 }),
    id(
      'base_address',
      'Contract address or id of the base asset; without one the asset is identified by its symbol on the chain',
      { maxLength: ADDRESS_LENGTH, ...word('0x7b2f') },
    ),
    choice(
      'source_kind',
      PRICE_SOURCE_KINDS,
      "Whether the feed's prices are an oracle's own aggregate (oracle), those of one venue, or the rate of one pool; oracle when absent",
    ),
    text('category', 'What the feed reports: price, reserves, NAV …', { maxLength: 64 }),
    text('asset_class', 'Class of the base asset', { maxLength: 64 }),
    id('risk_level', "The provider's own market-risk category", { maxLength: 64 }),
    count('heartbeat_s', 'Maximum time between two updates, seconds', { min: 1, max: 31_536_000 }),
    number('deviation_bps', 'Price move that triggers an update, basis points', { min: 0 }),
    count('decimals', 'Decimals of an answer', { max: 38 }),
    id('market_hours', 'Name of the market whose opening hours the feed follows', { maxLength: 64 }),
    text(
      'min_answer',
      'Lowest answer that the feed can give, as it reports answers: an answer at it is no price',
      { ...ANSWER },
    ),
    text('max_answer', 'Highest answer that the feed can give, as it reports answers', { ...ANSWER }),
    flag(
      'reports_rounds',
      'False for a feed that gives round 0 or time 0 by design: its answers count, and its freshness cannot be verified',
    ),
    id(
      'pool_address',
      "Pool whose rate a `pool` feed reports, as the states of pools name it; the feed's own address when absent",
      { maxLength: 200, ...word('0x7b2f') },
    ),
    observedAt('Time from which the entry holds', { min: 0 }),
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
  observations: { model: 'obs.feed_registry', time: 'observed_at' },
});

export const feedBounds = defineRawTable({
  name: 'feed_bounds',
  description:
    'The lowest and the highest answer that one feed can give, as its contract states them from one instant on',
  fields: [
    chain,
    id('feed_address', 'Address of the feed in the registry', { required: true, maxLength: ADDRESS_LENGTH }),
    id('aggregator_address', 'Contract behind the proxy of the feed that states them', {
      maxLength: ADDRESS_LENGTH,
    }),
    text('min_answer', 'Lowest answer', { required: true, ...ANSWER }),
    text('max_answer', 'Highest answer', { required: true, ...ANSWER }),
    observedAt('Time from which they hold', { min: 0 }),
  ],
  subject: ['chain', 'feed_address'],
  supplements: 'feed_registry',
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'bounds are delivered when they change' }],
  key: ['chain', 'feed_address', 'observed_at'],
  content: ['min_answer', 'max_answer'],
  time: 'observed_at',
  observations: { model: 'obs.feed_bounds', time: 'observed_at' },
});

export const feedRound = defineRawTable({
  name: 'feed_round',
  description: 'One answer of one feed',
  fields: [
    chain,
    id('feed_address', 'Address of the feed in the registry', { required: true, maxLength: ADDRESS_LENGTH }),
    text('round_id', 'Round id; on proxies (phase << 64) + round, which exceeds 2^53', {
      required: true,
      ...ROUND,
    }),
    text('answer', 'Answer as reported, an integer', {
      required: true,
      amount: { digits: 78, decimals: 0, isSigned: true },
    }),
    count('decimals', 'Decimals of the answer', { required: true, max: 38 }),
    number('price', 'answer / 10^decimals, in the quote', {
      required: true,
      min: -1e20,
      max: 1e20,
      computed: 'try_cast(answer as double) / power(10, decimals)',
    }),
    instant('updated_at', 'Time of the answer, Unix seconds; 0 for a round that was never answered', {
      required: true,
    }),
    text(
      'answered_in_round',
      'Round in which the answer was computed; an earlier one than its own makes the answer invalid',
      { ...ROUND },
    ),
    count('block_number', 'Block of the answer'),
    id('tx_hash', 'Transaction of the answer', { maxLength: 128 }),
    count('log_index', 'Index of its log in the block'),
  ],
  subject: ['chain', 'feed_address'],
  isCounted: true,
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
  observations: { model: 'obs.feed_round', time: 'observed_at' },
});
