// The raw tables of the anomaly domain: values locked, flows, concentration, large transfers, and the value extracted in blocks.
// `entity` is `<chain>|<protocol>|<pool or other part>` in lower case, with missing parts empty, so that comparisons need one text only.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const part = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  lowercase: true,
  pattern: '[^|\\s]{1,200}',
  maxLength: 200,
  description,
});
const chain = part('chain', 'Chain name; absent for a figure over all chains');
const protocol = part('protocol', 'Protocol name');
const pool_id = part('pool_id', 'Pool or market of the protocol; absent for the whole protocol');
const observed_at: RawField = {
  name: 'observed_at',
  type: 'BIGINT',
  required: true,
  min: 1,
  description: 'Time of the reading, Unix seconds',
};
const usd = (name: string, description: string, required = true): RawField => ({
  name,
  type: 'DOUBLE',
  required,
  min: 0,
  max: 1e15,
  description: `${description}, USD`,
});
const entity = (...parts: readonly string[]): RawField => ({
  name: 'entity',
  type: 'VARCHAR',
  required: true,
  computed: parts.map((name) => `lower(coalesce(${name}, ''))`).join(" || '|' || "),
  description: 'Subject of the figure: chain, protocol and part',
});
const ENTITY = entity('chain', 'protocol', 'pool_id');

export const tvlReading = defineRawTable({
  name: 'tvl_reading',
  description: 'Value locked in one protocol, or in one of its pools, at one instant',
  fields: [
    chain,
    { ...protocol, required: true },
    pool_id,
    observed_at,
    usd('tvl_usd', 'Value locked; 0 means that there is none'),
    {
      name: 'stated_usd',
      type: 'VARCHAR',
      required: true,
      computed: 'cast(tvl_usd as varchar)',
      description: 'The value as text: other statements about the same instant are facts of their own',
    },
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at', 'stated_usd'],
  content: ['tvl_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.tvl_reading', time: 'observed_at' },
});

export const capitalFlow = defineRawTable({
  name: 'capital_flow',
  description: 'Inflow and outflow of a protocol or pool over one period, that is since the previous report',
  fields: [
    chain,
    { ...protocol, required: true },
    pool_id,
    { ...observed_at, description: 'End of the period, Unix seconds' },
    usd('inflow_usd', 'Deposited in the period'),
    usd('outflow_usd', 'Withdrawn in the period'),
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['inflow_usd', 'outflow_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.capital_flow', time: 'observed_at' },
});

export const holderConcentration = defineRawTable({
  name: 'holder_concentration',
  description: 'Share of a token, vault or pool that its largest holders have at one instant',
  fields: [
    chain,
    protocol,
    part('entity_id', 'Token, vault or pool that is held', true),
    observed_at,
    {
      name: 'top_holder_share',
      type: 'DOUBLE',
      required: true,
      min: 0,
      max: 1,
      description: 'Share of the largest holders (the same number of them every time), as a fraction',
    },
    entity('chain', 'protocol', 'entity_id'),
  ],
  subject: ['entity'],
  maxAgeSeconds: 26 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['top_holder_share'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.holder_concentration', time: 'observed_at' },
});

export const whaleTransfer = defineRawTable({
  name: 'whale_transfer',
  description: 'One large transfer of value into, out of or within a protocol, from a final block',
  fields: [
    { ...chain, required: true, description: 'Chain name' },
    { ...protocol, required: true },
    pool_id,
    part('wallet_id', 'Wallet that made the transfer'),
    { ...part('tx_hash', 'Transaction', true), pattern: '0x[0-9a-fA-F]{1,64}' },
    {
      name: 'log_index',
      type: 'BIGINT',
      required: true,
      min: 0,
      description: 'Index of its log in the block',
    },
    { ...observed_at, description: 'Time of the block, Unix seconds' },
    usd('amount_usd', 'Moved'),
    ENTITY,
  ],
  subject: ['entity'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'transfers come when they come' }],
  key: ['chain', 'tx_hash', 'log_index'],
  content: ['entity', 'amount_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.whale_transfer', time: 'observed_at' },
});

export const mevBlock = defineRawTable({
  name: 'mev_block',
  description: 'Value extracted from the users of one final block by ordering its transactions',
  fields: [
    { ...chain, required: true, description: 'Chain name' },
    { name: 'block_number', type: 'BIGINT', required: true, min: 0, description: 'Number of the block' },
    { ...observed_at, description: 'Time of the block, Unix seconds' },
    usd('extracted_usd', 'Value extracted; 0 if none'),
  ],
  subject: ['chain'],
  maxAgeSeconds: 3 * HOUR_S,
  completeness: [{ by: 'nothing', because: 'blocks without extraction are not delivered' }],
  key: ['chain', 'block_number'],
  content: ['extracted_usd'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.mev_block', time: 'observed_at' },
});
