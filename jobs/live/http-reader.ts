// Reads a window over HTTP: fills in the request, follows the pager, and keeps each body as received.
import { createHash } from 'node:crypto';
import type { JudgedResponse } from '../net/client.ts';
import { destinationOf } from '../net/destination.ts';
import type { HttpRequest, HttpResponse } from '../net/exchange.ts';
import type { Expected } from '../net/judge-response.ts';
import { NetFault } from '../net/net-fault.ts';
import { type NextPage, openPager } from '../net/pager.ts';
import { filledRequest, windowValues } from './http-request.ts';
import type { LiveSource } from './live-source.ts';
import type { Window } from './plan-windows.ts';
import type { Reader, ReaderTools, ReadPage } from './reader.ts';
import { KEPT_HEADERS } from './recording.ts';
import { recordsOf } from './records-of.ts';

export const readHttp: Reader = async function* (source, window, tools) {
  const { request, pager: rules, mapping } = source;
  if (request === null) throw new Error(`source ${source.id} has no request`);
  const values = { ...windowValues(window), ...window.partition.params };
  const pager = openPager(rules, {
    key: String(Math.floor(window.from)),
    since: window.from,
    until: window.to,
  });
  let first: string | null = null;
  for (let next: NextPage | null = pager.first; next !== null; ) {
    const filling = { values: { ...values, ...next.values }, secrets: tools.secrets, url: next.url };
    const { sent, recorded } = filledRequest(request, filling);
    first ??= sent.url;
    // A cursor is text of the source; in the wrong place of an address it would lead to another host.
    const { isTrusted, url } = destinationOf(sent.url, first, 'pager');
    if (!isTrusted) throw new NetFault('pager', `the next page is on another host, ${url.host}.`);
    const response = await send(sent, { source, window, tools });
    const { records, document } = recordsOf(response.body.bytes, mapping);
    yield pageOf(recorded, response, { records, tools });
    const sha256 = createHash('sha256').update(response.body.bytes).digest('hex');
    next = pager.after({ records, document, headers: response.headers, url: response.url, sha256 });
  }
  return pager.ended;
};

interface Sending {
  readonly source: LiveSource;
  readonly window: Window;
  readonly tools: ReaderTools;
}

function send(request: HttpRequest, { source, window, tools }: Sending): Promise<JudgedResponse> {
  const limits = { timeoutMs: source.timeout_ms, maxBytes: source.guards.max_bytes };
  return tools.client.call({ request, expected: expectedOf(source), limits, urgency: window.urgency });
}

const expectedOf = ({ mapping, request }: LiveSource): Expected => ({
  format: mapping.format,
  protocol:
    request?.graphql !== undefined ? 'graphql' : request?.json_rpc !== undefined ? 'json_rpc' : 'plain',
});

function pageOf(
  { method, url, body: sentBody }: HttpRequest,
  { body, headers, status }: HttpResponse,
  { records, tools }: { records: readonly unknown[]; tools: ReaderTools },
): ReadPage {
  const fetchedAt = tools.now();
  const date = Date.parse(headers['date'] ?? '') / 1000;
  const age = Number(headers['age'] ?? 0);
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return {
    body: body.bytes,
    records,
    as_of: fetchedAt - (Number.isFinite(age) && age > 0 ? age : 0),
    server_time: Number.isFinite(date) ? date : null,
    facts: {
      records: records.length,
      status,
      request: { method, url, body: sentBody },
      headers: Object.fromEntries(kept),
    },
  };
}
