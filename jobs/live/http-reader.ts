// Reads a window over HTTP: fills in the request, follows the pager, and keeps each body as received.
import { createHash } from 'node:crypto';
import type { HttpResponse, HttpRequest } from '../net/exchange.ts';
import type { Expected } from '../net/judge-response.ts';
import { type NextPage, openPager } from '../net/pager.ts';
import { filled, filledJson, type Values, withoutSecrets, withSecrets } from '../net/template.ts';
import type { LiveSource } from './live-source.ts';
import type { Window } from './plan-windows.ts';
import type { Reader, ReaderTools, ReadPage } from './reader.ts';
import { KEPT_HEADERS } from './recording.ts';
import { recordsOf } from './records-of.ts';
import type { RequestSection } from './section.ts';

export const readHttp: Reader = async function* (source, window, tools) {
  const { request, pager: rules, mapping } = source;
  if (request === null) throw new Error(`source ${source.id} has no request`);
  const values = { ...windowValues(window), ...window.partition.params };
  const pager = openPager(rules, {
    key: String(Math.floor(window.from)),
    since: window.from,
    until: window.to,
  });
  for (let next: NextPage | null = pager.first; next !== null; ) {
    const asked = requestOf(request, { ...values, ...next.values }, next.url);
    const response = await send(asked, { source, window, tools });
    const { records, document } = recordsOf(response.body.bytes, mapping);
    yield pageOf(asked, response, { records, tools });
    const sha256 = createHash('sha256').update(response.body.bytes).digest('hex');
    next = pager.after({ records, document, headers: response.headers, url: response.url, sha256 });
  }
  return pager.ended;
};

/** The request before secrets are filled in, which is the form that recordings keep. */
export function requestOf(section: RequestSection, values: Values, url?: string): HttpRequest {
  const address = new URL(url ?? filled(section.url, values));
  if (url === undefined)
    for (const [name, text] of Object.entries(section.query ?? {})) {
      const value = filled(text, values);
      if (value !== '') address.searchParams.set(name, value);
    }
  const body = bodyOf(section, values);
  return {
    method: section.method ?? (body === null ? 'GET' : 'POST'),
    url: withSigns(address.href),
    headers: Object.fromEntries(
      Object.entries(section.headers ?? {}).map(([name, text]) => [name.toLowerCase(), filled(text, values)]),
    ),
    body,
  };
}

/** Restores each `${NAME}`, which URL escapes. */
const withSigns = (url: string) =>
  url.replaceAll(/\$%7B([A-Z][A-Z0-9_]*)%7D/gi, (_, name: string) => `\${${name}}`);

function bodyOf({ json, graphql, json_rpc }: RequestSection, values: Values): string | null {
  if (graphql !== undefined)
    return JSON.stringify({ query: graphql.query, variables: filledJson(graphql.variables ?? {}, values) });
  if (json_rpc !== undefined) {
    const params = filledJson(json_rpc.params ?? [], values);
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: json_rpc.method, params });
  }
  return json === undefined ? null : JSON.stringify(filledJson(json, values));
}

/** `{window_from_s}`, `…_ms`, `…_iso` and `…_day`, and the same forms of `window_to`. */
export function windowValues({ from, to }: Pick<Window, 'from' | 'to'>): Values {
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

interface Sending {
  readonly source: LiveSource;
  readonly window: Window;
  readonly tools: ReaderTools;
}

function send(asked: HttpRequest, { source, window, tools }: Sending): Promise<HttpResponse> {
  const { client, secrets } = tools;
  const request = {
    ...asked,
    url: withSecrets(asked.url, secrets),
    headers: Object.fromEntries(
      Object.entries(asked.headers).map(([name, text]) => [name, withSecrets(text, secrets)]),
    ),
    body: asked.body === null ? null : withSecrets(asked.body, secrets),
  };
  const limits = { timeoutMs: source.timeout_ms, maxBytes: source.guards.max_bytes };
  return client.call({ request, expected: expectedOf(source), limits, urgency: window.urgency });
}

const expectedOf = ({ mapping, request }: LiveSource): Expected => ({
  format: mapping.format,
  protocol:
    request?.graphql !== undefined ? 'graphql' : request?.json_rpc !== undefined ? 'json_rpc' : 'plain',
});

function pageOf(
  asked: HttpRequest,
  { body, headers, status }: HttpResponse,
  { records, tools }: { records: readonly unknown[]; tools: ReaderTools },
): ReadPage {
  const clean = (text: string) => withoutSecrets(text, tools.secrets);
  const fetchedAt = tools.now();
  const date = Date.parse(headers['date'] ?? '') / 1000;
  const age = Number(headers['age'] ?? 0);
  const kept = KEPT_HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, clean(headers[name])]],
  );
  return {
    body: withoutRepeatedSecrets(body.bytes, tools.secrets),
    records,
    as_of: fetchedAt - (Number.isFinite(age) && age > 0 ? age : 0),
    server_time: Number.isFinite(date) ? date : null,
    facts: {
      records: records.length,
      status,
      request: {
        method: asked.method,
        url: clean(asked.url),
        body: asked.body === null ? null : clean(asked.body),
      },
      headers: Object.fromEntries(kept),
    },
  };
}

/** Some services repeat the key in their response. */
function withoutRepeatedSecrets(body: Buffer, secrets: Values): Buffer {
  const holds = Object.values(secrets).some((value) => value.length >= 4 && body.includes(value));
  return holds ? Buffer.from(withoutSecrets(body.toString('utf8'), secrets)) : body;
}
