// Decodes raw vault logs on their way to landing, because SQL has no 256-bit integers. Deviations from the declaration are counted, and
// the row's checks refuse a log that has any.

import type { Enrichment, RowBatch } from '../../define/raw-table.ts';
import type { ArgumentValue, DecodedLog, RawLog } from './decode-log.ts';

export const UNRECOGNISED = 'unrecognised';
/** Increment with every change of what a log is decoded to. */
const DECODER_VERSION = 3;
const CALLER = 'caller';
const NO_DATA = '0x';

type FieldValue = string | number | null;

export const decodedLogs: Enrichment = {
  takes: [],
  reads: [
    'vault_address',
    'contract_address',
    'topic0',
    'topic1',
    'topic2',
    'topic3',
    'data',
    'sender_address',
  ],
  fills: [
    'on_chain_event',
    'governance_kind',
    'caller_address',
    'subject_address',
    'members',
    'change_name',
    'change_key',
    'change_value',
    'surplus_topics',
    'surplus_bytes',
    'overflowing_words',
  ],
  version: DECODER_VERSION,
  async fill({ count, columns }) {
    // Loaded with the first log: the topics of all events are hashed, and most runs land no logs.
    const { decodeLog } = await import('./decode-log.ts');
    const filled: { [field: string]: FieldValue[] } = {};
    const lists = decodedLogs.fills.map((name) => {
      filled[name] = [];
      return filled[name];
    });
    for (let at = 0; at < count; at++) {
      const row = rowOf(columns, at, decodeLog);
      for (const [index, list] of lists.entries()) list.push(row[index] ?? null);
    }
    return filled;
  },
};

/** Values in the order of `fills`. */
function rowOf(
  columns: RowBatch['columns'],
  at: number,
  decodeLog: (log: RawLog) => DecodedLog,
): readonly FieldValue[] {
  const text = (name: string) => {
    const value = columns[name]?.[at];
    return typeof value === 'string' ? value.toLowerCase() : null;
  };
  const topics = ['topic0', 'topic1', 'topic2', 'topic3'].map(text).filter((topic) => topic !== null);
  const log = decodeLog({ topics, data: text('data') ?? NO_DATA });
  const { event, values, surplus_topics, surplus_bytes, overflowing_words } = log;
  const misfit = [surplus_topics, surplus_bytes, overflowing_words];
  if (event === null)
    return [UNRECOGNISED, null, text('sender_address'), null, null, null, null, null, ...misfit];
  const caller = values.get(CALLER);
  const subject = subjectOf(log, text('vault_address'));
  return [
    event.action,
    event.kind,
    typeof caller === 'string' ? caller : text('sender_address'),
    subject,
    membersOf(values),
    ...changeOf(log, text('contract_address')),
    ...misfit,
  ];
}

/** The vault itself if the event names nothing else. */
function subjectOf({ event, values, callSubject }: DecodedLog, vault: string | null): string | null {
  if (event?.isCall === true) return callSubject;
  const subject = event?.subject == null ? vault : values.get(event.subject);
  return typeof subject === 'string' ? subject : null;
}

/** Members of a JSON object without its braces, because the models add the previous values. */
const membersOf = (values: DecodedLog['values']): string =>
  [...values]
    .filter(([name]) => name !== CALLER)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',');

/**
 * Name, key and value of what the log sets. An earlier log with the same key holds the previous value; an adapter has values of its own.
 */
function changeOf({ event, values }: DecodedLog, contract: string | null): readonly (string | null)[] {
  const value: ArgumentValue | undefined =
    event?.change === null ? undefined : values.get(`new_${event?.change.name}`);
  if (event?.change == null || value === undefined) return [null, null, null];
  const { name, scope } = event.change;
  const key = [
    name,
    ...(scope === null ? [] : [values.get(scope)]),
    ...(contract === null ? [] : [contract]),
  ].join('|');
  return [name, key, JSON.stringify(value)];
}
