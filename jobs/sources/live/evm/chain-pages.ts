// The pages of a recording of a chain: the node's exact responses, and the rows that were decoded from them.
import type { Exchange } from './rpc.ts';
import { type Recording, tablesIn } from '../fetch/recording.ts';
import type { PageReading } from '../fetch/recording-store.ts';

export interface Origin {
  readonly url: string;
  /** Time of the newest block that was read, Unix seconds. */
  readonly time: number;
}

/**
 * Kept as evidence; it has no records, so it does not land. Each call is a line of JSON with the length of its response in bytes, followed
 * by the response as received.
 */
export const evidencePage = (exchanges: readonly Exchange[], { url, time }: Origin): PageReading => ({
  body: Buffer.from(exchanges.map(callText).join('')),
  records: [],
  as_of: time,
  server_time: null,
  facts: { records: 0, status: 200, request: { method: 'POST', url, body: null }, headers: {} },
});

const callText = ({ method, params, body }: Exchange): string =>
  `${JSON.stringify({ method, params, bytes: Buffer.byteLength(body) })}\n${body}\n`;

export const rowsPage = (
  rows: readonly object[],
  { url, time, block }: Origin & { readonly block: Recording['block'] },
): PageReading => ({
  body: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  records: rows,
  as_of: time,
  server_time: null,
  block,
  facts: {
    records: rows.length,
    ...tablesIn(rows),
    status: 200,
    request: { method: 'POST', url, body: null },
    headers: { 'content-type': 'application/x-ndjson' },
  },
});
