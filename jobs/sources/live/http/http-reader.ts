// Reads a window over HTTP: fills in the request, follows the pager, and keeps each body as received.
import { createHash } from 'node:crypto';
import type { LiveSource, Window } from '../fetch/live-source.ts';
import type { Reader, ReaderTools } from '../fetch/reader.ts';
import { KEPT_HEADERS } from '../fetch/recording.ts';
import type { PageReading } from '../fetch/recording-store.ts';
import type { RequestSection } from '../fetch/section.ts';
import type { JudgedResponse } from './client.ts';
import { destinationOf, type HttpRequest, type HttpResponse } from './exchange.ts';
import type { ExpectedResponse } from './judge-response.ts';
import { NetFault } from './net-fault.ts';
import { type NextPage, openPager } from './pager.ts';
import { recordsIn, recordsOf } from './records-of.ts';
import { filled, filledJson, headersWith, type Values, withSecrets } from './template.ts';

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

const expectedOf = ({ mapping, request }: LiveSource): ExpectedResponse => ({
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

/** The request of a source, filled in: what is sent, and what recordings keep, with the name of each secret. */
interface FilledRequest {
  readonly sent: HttpRequest;
  readonly recorded: HttpRequest;
}

interface RequestValues {
  readonly values: Values;
  readonly secrets: Values;
  /** The address of a further page, as a response gave it: it may name secrets, and holds everything else. */
  readonly url?: string | undefined;
}

/** @throws NetFault `refused` if its url is no address once it is filled in */
function filledRequest(section: RequestSection, { values, secrets, url }: RequestValues): FilledRequest {
  const named = Object.fromEntries(Object.keys(secrets).map((name) => [name, tokenOf(name)]));
  const kept = requestWith(section, { values, secrets: named, url });
  return {
    sent: requestWith(section, { values, secrets, url }),
    recorded: {
      ...kept,
      url: withNames(kept.url),
      headers: {},
      body: kept.body === null ? null : withNames(kept.body),
    },
  };
}

/** Stands for a secret in an address: valid in every part of it, and the same in lower case. */
const tokenOf = (name: string): string => `x5ec${Buffer.from(name).toString('hex')}x5ec`;
const withNames = (text: string): string =>
  text.replaceAll(/x5ec((?:[0-9a-f]{2})+?)x5ec/g, (_, hex: string) => `\${${Buffer.from(hex, 'hex')}}`);

function requestWith(section: RequestSection, { values, secrets, url }: RequestValues): HttpRequest {
  const fill = (text: string) => withSecrets(filled(text, values), secrets);
  const body = bodyOf(section, values, secrets);
  return {
    method: section.method ?? (body === null ? 'GET' : 'POST'),
    url: url === undefined ? addressOf(section, fill) : nextAddress(url, secrets),
    headers: headersWith(section.headers ?? {}, fill),
    body,
  };
}

function addressOf({ url, query = {} }: RequestSection, fill: (text: string) => string): string {
  const address = parsed(fill(url));
  for (const [name, text] of Object.entries(query)) {
    const value = fill(text);
    if (value !== '') address.searchParams.set(name, value);
  }
  return address.href;
}

/** Parsing an address has escaped the braces of `${NAME}`. */
function nextAddress(url: string, secrets: Values): string {
  const text = url.replaceAll(
    /\$(?:\{|%7B)([A-Z][A-Z0-9_]*)(?:\}|%7D)/gi,
    (_, name: string) => `\${${name}}`,
  );
  return parsed(withSecrets(text, secrets, encodeURIComponent)).href;
}

function parsed(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new NetFault('refused', 'the url of the source is not an address once its values are filled in.', {
    todo: 'Correct the url, or the environment variables that it names',
  });
}

function bodyOf({ json, graphql, json_rpc }: RequestSection, values: Values, secrets: Values): string | null {
  const fill = (value: unknown) => withSecretsInside(filledJson(value, values), secrets);
  if (graphql !== undefined)
    return JSON.stringify({
      query: withSecrets(graphql.query, secrets),
      variables: fill(graphql.variables ?? {}),
    });
  if (json_rpc !== undefined) {
    const params = fill(json_rpc.params ?? []);
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: json_rpc.method, params });
  }
  return json === undefined ? null : JSON.stringify(fill(json));
}

function withSecretsInside(value: unknown, secrets: Values): unknown {
  if (typeof value === 'string') return withSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((one) => withSecretsInside(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withSecretsInside(one, secrets)]),
  );
}

/** `{window_from_s}`, `…_ms`, `…_iso` and `…_day`, and the same forms of `window_to`. */
function windowValues({ from, to }: Pick<Window, 'from' | 'to'>): Values {
  const forms = (name: string, seconds: number): [string, string][] => {
    const iso = new Date(seconds * 1000).toISOString();
    return [
      [`${name}_s`, String(Math.floor(seconds))],
      [`${name}_ms`, String(Math.floor(seconds * 1000))],
      [`${name}_iso`, iso.replace(/\.\d+Z$/, 'Z')],
      [`${name}_day`, iso.slice(0, 10)],
    ];
  };
  return Object.fromEntries([...forms('window_from', from), ...forms('window_to', to)]);
}
