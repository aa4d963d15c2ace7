// Fills in the request of a source. It has two forms: what is sent, and what recordings keep, with the name of each secret.
import type { HttpRequest } from './exchange.ts';
import { NetFault } from './net-fault.ts';
import { filled, filledJson, headersWith, type Values, withSecrets } from './template.ts';
import type { Window } from '../fetch/live-source.ts';
import type { RequestSection } from '../fetch/section.ts';

export interface FilledRequest {
  readonly sent: HttpRequest;
  readonly recorded: HttpRequest;
}

export interface Filling {
  readonly values: Values;
  readonly secrets: Values;
  /** The address of a further page, as a response gave it: it may name secrets, and holds everything else. */
  readonly url?: string | undefined;
}

/** @throws NetFault `refused` if its url is no address once it is filled in */
export function filledRequest(section: RequestSection, { values, secrets, url }: Filling): FilledRequest {
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

function requestWith(section: RequestSection, { values, secrets, url }: Filling): HttpRequest {
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
