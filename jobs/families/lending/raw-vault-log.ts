// The raw table of the logs of vaults: logs as a node returns them, decoded on the way by decode-logs.ts. A log that a
// reorganisation removed is delivered again with `is_removed`.

import {
  chain,
  count,
  type FieldOptions,
  flag,
  form,
  hex,
  instant,
  text,
  word,
} from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import { decodedLogs } from './decode-logs.ts';
import { address, vault_address } from './raw-fields.ts';

const HASH = hex(64, 'a hash of 32 bytes');

const topic = (index: number, options?: FieldOptions) =>
  address(`topic${index}`, index === 0 ? 'Hash of the event’s declaration' : 'Indexed argument', {
    ...HASH,
    ...options,
  });

/** The numbers that make a log unreadable. */
const NONE = { required: true, max: 0 } as const;

export const vaultLog = defineRawTable({
  name: 'vault_log',
  description: 'One log that a vault or an adapter of it wrote, or that a reorganisation removed',
  fields: [
    chain,
    vault_address,
    address('contract_address', 'Contract that wrote the log, if not the vault itself: an adapter of it', {
      ...word('0x7b2f'),
    }),
    count('block_number', 'Block of the log', { required: true }),
    address('block_hash', 'Hash of that block: distinguishes the same log in two blocks', { ...HASH }),
    instant('block_timestamp', 'Time of that block', { required: true, min: 1 }),
    address('tx_hash', 'Hash of the transaction', { required: true, ...HASH }),
    count('log_index', 'Index of the log in its block', { required: true, max: 99_999 }),
    topic(0, { required: true }),
    topic(1),
    topic(2),
    topic(3),
    text('data', 'Arguments that are not indexed, in hex; empty without any', {
      lowercase: true,
      ...form('0x([0-9a-f]{2})*', '`0x` and two hexadecimal digits for each byte', '0x7b2f'),
    }),
    address('sender_address', 'Sender of the transaction, if the source reports it'),
    flag('is_removed', 'A reorganisation removed the log'),
    instant(
      'removed_at',
      'Time at which the removal was observed, Unix seconds; the time of the block when absent',
      { min: 1 },
    ),
    text('standing', 'Block hash, and whether the log was removed from that block', {
      required: true,
      computed: "concat(coalesce(block_hash, ''), case when is_removed then '|removed' else '' end)",
    }),
    text('on_chain_event', 'Action of the event, or `unrecognised`'),
    text('governance_kind', 'Kind of governance: timelock, guardian, allocator, cap, fee, owner, queue'),
    text('caller_address', 'Account that acted: the argument, else the sender'),
    text('subject_address', 'Target of the action'),
    text('members', 'Arguments, as the members of a JSON object'),
    text('change_name', 'Name of the value that the event sets'),
    text('change_key', 'That name with its scope: an earlier log with this key has the previous value'),
    text('change_value', 'The value set, as JSON'),
    count('surplus_topics', 'Number of topics beyond those declared, negative if some are missing', NONE),
    count('surplus_bytes', 'Bytes of data beyond those declared, negative if some are missing', NONE),
    count('overflowing_words', 'Number of words with a value outside their type', NONE),
  ],
  subject: ['chain', 'vault_address'],
  isCounted: true,
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'the logs of a vault do not say how many there are' }],
  key: ['chain', 'tx_hash', 'log_index', 'standing'],
  content: ['vault_address', 'block_timestamp', 'topic0', 'data'],
  time: 'block_timestamp',
  enrichment: decodedLogs,
  observations: { model: 'obs.vault_log', time: 'block_timestamp' },
});
