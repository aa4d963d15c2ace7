// Reads a window over HTTP: fills in the request, follows the pager, and keeps each body as received.
import { createHash } from 'node:crypto';
import type { JudgedResponse } from './client.ts';
import { type HttpRequest, type HttpResponse, destinationOf } from './exchange.ts';
import type { Expected } from './judge-response.ts';
import { NetFault } from './net-fault.ts';
import { type NextPage, openPager } from './pager.ts';
import { filledRequest, windowValues } from './http-request.ts';
import type { LiveSource, Window } from '../fetch/live-source.ts';
import type { PageReading } from '../fetch/recording-store.ts';
import type { Reader, ReaderTools } from '../fetch/reader.ts';
import { KEPT_HEADERS } from '../fetch/recording.ts';
import { recordsIn, recordsOf } from './records-of.ts';

/** No cache keeps a copy for so long, and a wrong number must not date rows to another decade. */
const MAX_AGE_S = 30 * 86_400;

export const readHttp: Reader = async function* (source, window, tools) {
  const { request, pager: rules, mapping } = source;
  if (request === null) throw new Error(`Source ${source.id} has no request.`);
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
    const { records, document } =
      response.parsed === null
        ? recordsOf(response.body.bytes, mapping)
        : recordsIn(response.parsed.document, mapping);
    yield pageOf(recorded, response, { records, tools });
    const sha256 = createHash('sha256').update(response.body.bytes).digest('hex');
    next = pager.after({ records, document, headers: response.headers, url: response.url, sha256 });
  }
  return pager.ended;
};

function send(
  request: HttpRequest,
  {
    source,
    window,
    tools,
  }: { readonly source: LiveSource; readonly window: Window; readonly tools: ReaderTools },
): Promise<JudgedResponse> {
  return tools.size.call(tools.client, {
    request,
    expected: expectedOf(source),
    timeoutMs: source.timeout_ms,
    urgency: window.urgency,
  });
}

const expectedOf = ({ mapping, request }: LiveSource): Expected => ({
  isExact: true,
  format: mapping.format,
  protocol:
    request?.graphql !== undefined ? 'graphql' : request?.json_rpc !== undefined ? 'json_rpc' : 'plain',
});

function pageOf(
  { method, url, body: sentBody }: HttpRequest,
  { body, headers, status }: HttpResponse,
  { records, tools }: { records: readonly unknown[]; tools: ReaderTools },
): PageReading {
  const fetchedAt = tools.now();
  const date = Date.parse(headers['date'] ?? '') / 1000;
  const age = ageOf(headers['age']);
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return {
    body: body.bytes,
    records,
    as_of: fetchedAt - Math.min(age, MAX_AGE_S),
    ...(age > MAX_AGE_S ? { doubt: `the source gives the response an age of ${daysOf(age)} days` } : {}),
    server_time: Number.isFinite(date) ? date : null,
    facts: {
      records: records.length,
      status,
      request: { method, url, body: sentBody },
      headers: Object.fromEntries(kept),
    },
  };
}

/** Seconds in the `Age` header; 0 for what is no age. */
function ageOf(header = ''): number {
  const age = Number(header);
  return age > 0 ? age : 0;
}

const daysOf = (seconds: number) => Math.round(seconds / 86_400).toLocaleString('en');
