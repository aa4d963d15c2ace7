// The raw tables of the anomaly domain: values locked, flows, concentration, large transfers, and the value extracted in blocks.
// `entity` is `<chain>|<protocol>|<pool or other part>` in lower case, with missing parts empty, so that comparisons need one text only.
import { HOUR_S } from '../../../platform/base/time.ts';
import {
  count,
  type FieldOptions,
  form,
  fraction,
  id,
  observedAt,
  text,
  usd,
  word,
} from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const part = (name: string, description: string, options?: FieldOptions) =>
  id(name, description, { ...word('aave-v3', { longest: 200 }), maxLength: 200, ...options });
const chain = part('chain', 'Chain name; absent for a figure over all chains');
const protocol = part('protocol', 'Protocol name');
const pool_id = part('pool_id', 'Pool or market of the protocol; absent for the whole protocol');
const entity = (...parts: readonly string[]) =>
  text('entity', 'Subject of the figure: chain, protocol and part', {
    required: true,
    computed: parts.map((name) => `lower(coalesce(${name}, ''))`).join(" || '|' || "),
  });
const ENTITY = entity('chain', 'protocol', 'pool_id');

export const tvlReading = defineRawTable({
  name: 'tvl_reading',
  description: 'Value locked in one protocol, or in one of its pools, at one instant',
  fields: [
    chain,
    { ...protocol, required: true },
    pool_id,
    observedAt('Time of the reading'),
    usd('tvl_usd', 'Value locked; 0 means that there is none', { required: true }),
    text('stated_usd', 'The value as text: other statements about the same instant are facts of their own', {
      required: true,
      computed: 'cast(tvl_usd as varchar)',
    }),
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at', 'stated_usd'],
  content: ['tvl_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.tvl_reading', time: 'observed_at' },
});

export const capitalFlow = defineRawTable({
  name: 'capital_flow',
  description: 'Inflow and outflow of a protocol or pool over one period, that is since the previous report',
  fields: [
    chain,
    { ...protocol, required: true },
    pool_id,
    observedAt('End of the period'),
    usd('inflow_usd', 'Deposited in the period', { required: true }),
    usd('outflow_usd', 'Withdrawn in the period', { required: true }),
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['inflow_usd', 'outflow_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.capital_flow', time: 'observed_at' },
});

export const holderConcentration = defineRawTable({
  name: 'holder_concentration',
  description: 'Share of a token, vault or pool that its largest holders have at one instant',
  fields: [
    chain,
    protocol,
    part('entity_id', 'Token, vault or pool that is held', { required: true }),
    observedAt('Time of the reading'),
    fraction('top_holder_share', 'Share of the largest holders (the same number of them every time)', {
      required: true,
    }),
    entity('chain', 'protocol', 'entity_id'),
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['top_holder_share'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.holder_concentration', time: 'observed_at' },
});

export const whaleTransfer = defineRawTable({
  name: 'whale_transfer',
  description: 'One large transfer of value into, out of or within a protocol, from a final block',
  fields: [
    { ...chain, required: true, description: 'Chain name' },
    { ...protocol, required: true },
    pool_id,
    part('wallet_id', 'Wallet that made the transfer'),
    part('tx_hash', 'Transaction', {
      required: true,
      ...form('0x[0-9a-fA-F]{1,64}', '`0x` and up to 64 hexadecimal digits', '0x7b2f'),
    }),
    count('log_index', 'Index of its log in the block', { required: true }),
    observedAt('Time of the block'),
    usd('amount_usd', 'Moved', { required: true }),
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'transfers come when they come' }],
  key: ['chain', 'tx_hash', 'log_index'],
  content: ['observed_at', 'entity', 'amount_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.whale_transfer', time: 'observed_at' },
});

export const mevBlock = defineRawTable({
  name: 'mev_block',
  description: 'Value extracted from the users of one final block by ordering its transactions',
  fields: [
    { ...chain, required: true, description: 'Chain name' },
    count('block_number', 'Number of the block', { required: true }),
    observedAt('Time of the block'),
    usd('extracted_usd', 'Value extracted; 0 if none', { required: true }),
  ],
  subject: ['chain'],
  maxAgeSeconds: 3 * HOUR_S,
  completeness: [{ by: 'nothing', because: 'blocks without extraction are not delivered' }],
  key: ['chain', 'block_number'],
  content: ['observed_at', 'extracted_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.mev_block', time: 'observed_at' },
});
