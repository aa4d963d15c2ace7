// The documentation as endpoints: reference, error pages, a map for agents, and the document itself. Everything is rendered from the
// endpoint objects at the first request and kept; nothing on a page comes from another host.
import { readFileSync } from 'node:fs';
import { Strict, Type } from '../../schemas/define.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../define.ts';
import { openApiDocument } from '../openapi/document.ts';
import { yamlOf } from '../openapi/document-text.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import type { Services } from '../services.ts';
import { docsPage } from './docs-page.ts';
import { ERROR_CODES, errorIndexPage, errorPage } from './error-pages.ts';
import { llmsText } from './llms-text.ts';
import { PAGE_HEADERS } from './page.ts';

const HTML = 'text/html; charset=utf-8';

interface File {
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  /** Kept after the first call. */
  readonly render: () => Buffer;
}

/** `endpoints` is asked at the first request: the document describes these endpoints too. */
export function documentationEndpoints(endpoints: () => readonly Endpoint[]): readonly Endpoint[] {
  const document = once(() => openApiDocument(endpoints()));
  return [
    fileEndpoint({
      path: '/docs',
      summary: 'The reference of every endpoint and event, for people',
      type: HTML,
      render: () => docsPage(document()),
    }),
    fileEndpoint({
      path: '/errors',
      summary: 'All error codes, for people',
      type: HTML,
      render: errorIndexPage,
    }),
    errorPageEndpoint(document),
    fileEndpoint({
      path: '/docs/style.css',
      summary: 'Style of the pages',
      type: 'text/css; charset=utf-8',
      render: () => readFileSync(new URL('./style.css', import.meta.url)),
    }),
    fileEndpoint({
      path: '/docs/filter.js',
      summary: 'Script of the pages',
      type: 'text/javascript; charset=utf-8',
      render: () => readFileSync(new URL('./filter.js', import.meta.url)),
    }),
    fileEndpoint({
      path: '/llms.txt',
      summary: 'A map of this API, for programs that read prose',
      type: 'text/plain; charset=utf-8',
      render: () => llmsText(document()),
    }),
    ...documentEndpoints(document),
  ];
}

const documentEndpoints = (document: () => OpenApiDocument): Endpoint[] => [
  fileEndpoint({
    path: '/openapi-public.yaml',
    summary: 'This document as YAML',
    type: 'application/yaml',
    render: () => Buffer.from(yamlOf(document())),
  }),
  fileEndpoint({
    path: '/openapi-public.json',
    summary: 'This document as JSON',
    type: JSON_TYPE,
    render: () => Buffer.from(JSON.stringify(document())),
  }),
];

const page = {
  method: 'GET',
  access: 'open',
  envelope: 'plain',
  cache: 'shared',
  query: Strict({}),
  response: Type.String(),
} as const;

const JSON_TYPE = 'application/json';

function fileEndpoint({ path, summary, type, render }: File): Endpoint {
  const bytes = once(render);
  const isJson = type === JSON_TYPE;
  return defineEndpoint({
    ...page,
    path,
    summary,
    spec: '4.26',
    response: isJson ? Type.Record(Type.String(), Type.Unknown()) : Type.String(),
    ...(isJson ? {} : { mediaTypes: [plainType(type)] }),
    params: Strict({}),
    errors: ['invalid_request', 'internal_error'],
    handle: (_, services) => replyOf(bytes(), type, services),
    prepare: () => [{}],
    mirror: () => (/\.(yaml|json)$/.test(path) ? [{}] : []),
  });
}

function errorPageEndpoint(document: () => OpenApiDocument): Endpoint {
  return defineEndpoint({
    ...page,
    path: '/errors/:code',
    summary: 'What an error code means and what to do, for people',
    spec: '7.1',
    mediaTypes: [plainType(HTML)],
    params: Strict({ code: Type.Enum(ERROR_CODES, { description: 'Code of an error' }) }),
    errors: ['invalid_request', 'not_found', 'internal_error'],
    handle: ({ params }, services) =>
      replyOf(errorPage(params.code as ErrorCode, document()), HTML, services),
    prepare: () => ERROR_CODES.map((code) => ({ code })),
    mirror: () => [],
  });
}

function replyOf(payload: Buffer, type: string, services: Services): Reply {
  const identity = services.identify(payload);
  if (type === JSON_TYPE) return { payload, identity };
  const headers = type === HTML ? PAGE_HEADERS : [];
  return { payload, media: { type, isCompact: false }, headers, identity };
}

const plainType = (type: string): string => type.split(';')[0] ?? type;

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
