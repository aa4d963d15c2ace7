// The raw table of the logs of vaults: logs as a node returns them, decoded on the way by decode-logs.ts. A log that a
// reorganisation removed is delivered again with `is_removed`.

import { defineRawTable, type RawField } from '../../define/raw-table.ts';
import { decodedLogs } from './decode-logs.ts';
import { chain, ID, vault_address } from './raw-fields.ts';

const HASH = '0x[0-9a-f]{64}';

const topic = (index: number, required = false): RawField => ({
  ...ID,
  name: `topic${index}`,
  pattern: HASH,
  required,
  description: index === 0 ? 'Hash of the event’s declaration' : 'Indexed argument',
});

const zero = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  required: true,
  min: 0,
  max: 0,
  description,
});

const filled = (name: string, description: string): RawField => ({ name, type: 'VARCHAR', description });

export const vaultLog = defineRawTable({
  name: 'vault_log',
  description: 'One log that a vault wrote, or that a reorganisation removed',
  fields: [
    chain,
    vault_address,
    { name: 'block_number', type: 'BIGINT', required: true, min: 0, description: 'Block of the log' },
    {
      ...ID,
      name: 'block_hash',
      pattern: HASH,
      description: 'Hash of that block: distinguishes the same log in two blocks',
    },
    {
      name: 'block_timestamp',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'Time of that block, Unix seconds',
    },
    { ...ID, name: 'tx_hash', required: true, pattern: HASH, description: 'Hash of the transaction' },
    {
      name: 'log_index',
      type: 'BIGINT',
      required: true,
      min: 0,
      max: 99_999,
      description: 'Index of the log in its block',
    },
    topic(0, true),
    topic(1),
    topic(2),
    topic(3),
    {
      name: 'data',
      type: 'VARCHAR',
      lowercase: true,
      pattern: '0x([0-9a-f]{2})*',
      description: 'Arguments that are not indexed, in hex; empty without any',
    },
    { ...ID, name: 'sender_address', description: 'Sender of the transaction, if the source reports it' },
    { name: 'is_removed', type: 'BOOLEAN', description: 'A reorganisation removed the log' },
    {
      name: 'removed_at',
      type: 'BIGINT',
      min: 1,
      description: 'Time at which the removal was observed, Unix seconds; the time of the block when absent',
    },
    {
      name: 'standing',
      type: 'VARCHAR',
      required: true,
      computed: "concat(coalesce(block_hash, ''), case when is_removed then '|removed' else '' end)",
      description: 'Block hash, and whether the log was removed from that block',
    },
    filled('on_chain_event', 'Action of the event, or `unrecognised`'),
    filled('governance_kind', 'Kind of governance: timelock, guardian, allocator, cap, fee, owner, queue'),
    filled('caller_address', 'Account that acted: the argument, else the sender'),
    filled('subject_address', 'Target of the action'),
    filled('members', 'Arguments, as the members of a JSON object'),
    filled('change_name', 'Name of the value that the event sets'),
    filled('change_key', 'That name with its scope: an earlier log with this key has the previous value'),
    filled('change_value', 'The value set, as JSON'),
    zero('surplus_topics', 'Number of topics beyond those declared, negative if some are missing'),
    zero('surplus_bytes', 'Bytes of data beyond those declared, negative if some are missing'),
    zero('overflowing_words', 'Number of words with a value outside their type'),
  ],
  subject: ['chain', 'vault_address'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'the logs of a vault do not say how many there are' }],
  key: ['chain', 'tx_hash', 'log_index', 'standing'],
  content: ['vault_address', 'topic0', 'data'],
  time: 'block_timestamp',
  enrichment: decodedLogs,
  kept: { model: 'obs.vault_log', time: 'block_timestamp' },
});
