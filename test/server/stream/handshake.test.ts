// The handshake treats its parameters exactly as the API document describes them.
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { STREAM_ERRORS, STREAM_PARAMETERS, type StreamParameter } from '../../../schemas/stream.ts';
import { Failure } from '../../../server/define/failure.ts';
import { readStreamRequest, streamParameters } from '../../../server/stream/handshake.ts';

const WINDOW = { days: 7, fromMs: 0 };
const ajv = new Ajv();

function codeOf(name: string, value: string): string | undefined {
  const query = new URLSearchParams({ [name]: value });
  try {
    readStreamRequest(streamParameters(`/v2/ws/risk-events?${query}`), WINDOW);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

/** A list is comma-separated. */
function isGoodIn(name: StreamParameter, value: string): boolean {
  const schema = STREAM_PARAMETERS[name];
  const isList = (schema as { readonly type?: string }).type === 'array';
  return ajv.validate(schema, isList ? value.split(',').map((one) => one.trim()) : value);
}

const GOOD: readonly (readonly [StreamParameter, string])[] = [
  ['token', 'anything'],
  ...EVENT_TYPES.map((type) => ['types', type] as const),
  ['types', EVENT_TYPES.join()],
  ['types', ' oracle.stale , peg.depeg.end '],
  ['types', 'oracle.stale,oracle.stale'],
  ['severity', 'high'],
  ['severity', 'info,warn,high,critical'],
  ['subject_id', 'vault:global'],
  ['chain', 'ethereum'],
  ['protocol', 'aave'],
  ['since_event_id', '01HZX3K9Q4T2V7B8N6M5P1R0SD'],
  ['control', '0'],
  ['control', '1'],
];

const BAD: readonly (readonly [StreamParameter, string])[] = [
  ['token', ''],
  ['types', ''],
  ['types', '*'],
  ['types', 'oracle.*'],
  ['types', 'oracle'],
  ['types', 'oraclexstale'],
  ['types', 'ORACLE.STALE'],
  ['types', 'oracle.stale,'],
  ['types', 'oracle.stale;peg.depeg.end'],
  ['severity', 'worst'],
  ['severity', 'high,,warn'],
  ['subject_id', ''],
  ['chain', ''],
  ['protocol', ''],
  ['since_event_id', ''],
  ['since_event_id', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
  ['control', 'true'],
  ['control', ''],
];

test.each(GOOD)('%s=%s is valid by the document and for the server', (name, value) => {
  expect([isGoodIn(name, value), codeOf(name, value)]).toEqual([true, undefined]);
});

test.each(BAD)('%s=%s is invalid by the document and for the server', (name, value) => {
  const code = codeOf(name, value);
  expect([isGoodIn(name, value), code !== undefined]).toEqual([false, true]);
  expect(STREAM_ERRORS).toContain(code);
});

test('a cursor in lower case, a checksummed subject and a chain in capitals mean the same as in lower case', () => {
  const query = new URLSearchParams({
    since_event_id: '01hzx3k9q4t2v7b8n6m5p1r0sd',
    subject_id: 'vault:ethereum:0xAbCd',
    chain: 'Ethereum',
  });
  const { filter, after } = readStreamRequest(streamParameters(`/v2/ws/risk-events?${query}`), WINDOW);
  expect(after).toBe('01HZX3K9Q4T2V7B8N6M5P1R0SD');
  expect([filter.subject, filter.chain]).toEqual(['vault:ethereum:0xabcd', 'ethereum']);
});
