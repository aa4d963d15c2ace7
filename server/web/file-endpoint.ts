// A page, script, style or document as an endpoint: rendered on first request and cached, open to all, cacheable like data.
import { Strict, Type } from '../../schemas/define.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../define/endpoint.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Services } from '../services.ts';
import { TAGS } from '../define/tags.ts';

export const HTML = 'text/html; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';
export const JSON_TYPE = 'application/json';

export interface File {
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  /** Each result is kept. */
  readonly render: (isSimulated: boolean) => Buffer;
  /** What the page may load; default: that of all pages. */
  readonly headers?: readonly string[];
}

export const openPage = {
  method: 'GET',
  tag: TAGS.documentation,
  access: 'open',
  envelope: 'plain',
  cache: 'shared',
  query: Strict({}),
  response: Type.String(),
} as const;

export function fileEndpoint(file: File): Endpoint {
  const { path, summary, type, render } = file;
  const [bytes, simulatedBytes] = [once(() => render(false)), once(() => render(true))];
  const isJson = type === JSON_TYPE;
  return defineEndpoint({
    ...openPage,
    // Query parameters of a page are for its script.
    ...(type === HTML && { ignoresUnknownParameters: true, isUncounted: true }),
    path,
    summary,
    response: isJson ? Type.Record(Type.String(), Type.Unknown()) : Type.String(),
    ...(isJson ? {} : { mediaTypes: [plainType(type)] }),
    params: Strict({}),
    errors: ['invalid_request', 'internal_error'],
    handle: (_, services) =>
      fileReply(isServedSimulated(services) ? simulatedBytes() : bytes(), file, services),
    prepare: () => [{}],
    mirror: () => (/\.(yaml|json)$/.test(path) ? [{}] : []),
  });
}

export const isSimulated = ({ datasets }: Manifest): boolean =>
  Object.values(datasets).some(({ sources }) => sources.some(({ kind }) => kind === 'simulated'));

/** Whether the served version has simulated data. */
export function isServedSimulated({ versions }: Services): boolean {
  const manifest = versions.current?.manifest;
  return manifest !== undefined && isSimulated(manifest);
}

export function fileReply(
  payload: Buffer,
  { type, headers = type === HTML ? PAGE_HEADERS : [] }: Pick<File, 'type' | 'headers'>,
  services: Services,
): Reply {
  const identity = services.identify(payload);
  if (type === JSON_TYPE) return { payload, identity };
  return {
    payload,
    media: { type, isCompact: false, isLasting: type === SCRIPT || type === CSS },
    headers,
    identity,
  };
}

export const plainType = (type: string): string => type.split(';')[0] ?? type;

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// The policy of every page, which prevents loading from other hosts.

/** Scripts, styles and data of this host only. */
export const PAGE_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];
