// The documentation as endpoints: reference and error pages, a guide for language models, and the document itself. Everything is rendered
// from the endpoint objects on first request and cached; pages load nothing from other hosts.
import { Strict, Type } from '../../schemas/define.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { defineEndpoint, type Endpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { asyncApiDocument } from '../openapi/asyncapi.ts';
import { extensibleResponses, openApiDocument, yamlOf } from '../openapi/document.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { slugsOf } from './docs-groups.ts';
import { docsGroupPage, docsPage, docsText } from './docs-page.ts';
import { ERROR_CODES, errorIndexPage, errorPage } from './error-pages.ts';
import {
  fileEndpoint,
  fileReply,
  HTML,
  isServedSimulated,
  JSON_TYPE,
  once,
  openPage,
  plainType,
} from './file-endpoint.ts';
import { llmsText } from './llms-text.ts';
import { openPaths, type SharedParts } from './page.ts';

/** `endpoints` is called at the first request, because the reference describes them. */
export function referenceEndpoints(endpoints: () => readonly Endpoint[]): readonly Endpoint[] {
  const document = once(() => openApiDocument(endpoints()));
  const shared = (isSimulated: boolean): SharedParts => ({ isSimulated, api: openPaths(endpoints()) });
  return [
    fileEndpoint({
      path: '/docs',
      summary: 'How to start with the API, and the contents of its reference, as a web page',
      type: HTML,
      render: (isSimulated) => docsPage(document(), shared(isSimulated)),
    }),
    docsGroupEndpoint(document, shared),
    fileEndpoint({
      path: '/docs-words.json',
      summary: 'Words of every section of the reference, which its filter searches',
      type: JSON_TYPE,
      render: () => docsText(document()),
    }),
    fileEndpoint({
      path: '/errors',
      summary: 'All error codes, as a web page',
      type: HTML,
      render: (isSimulated) => errorIndexPage(shared(isSimulated)),
    }),
    errorPageEndpoint(document, shared),
  ];
}

/** The descriptions of the API for programs, which are part of the API. */
export function documentEndpoints(endpoints: () => readonly Endpoint[]): readonly Endpoint[] {
  const document = once(() => extensibleResponses(openApiDocument(endpoints())));
  return [
    fileEndpoint({
      path: '/llms.txt',
      summary: 'A guide to this API for language models',
      type: 'text/plain; charset=utf-8',
      render: () => llmsText(document()),
    }),
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
    fileEndpoint({
      path: '/asyncapi.yaml',
      summary: 'The event stream and the webhooks as an AsyncAPI document, as YAML',
      type: 'application/yaml',
      render: () => Buffer.from(yamlOf(asyncApiDocument())),
    }),
    fileEndpoint({
      path: '/asyncapi.json',
      summary: 'The event stream and the webhooks as an AsyncAPI document, as JSON',
      type: JSON_TYPE,
      render: () => Buffer.from(JSON.stringify(asyncApiDocument())),
    }),
  ];
}

type SharedOf = (isSimulated: boolean) => SharedParts;

function docsGroupEndpoint(document: () => OpenApiDocument, shared: SharedOf): Endpoint {
  const rendered = new Map<string, Buffer>();
  return defineEndpoint({
    ...openPage,
    ignoresUnknownParameters: true,
    isUncounted: true,
    path: '/docs/:group',
    summary: 'Reference for a group of endpoints, or for the events, as a web page',
    mediaTypes: [plainType(HTML)],
    params: Strict({ group: Type.String({ maxLength: 64, description: 'Name of the group' }) }),
    errors: ['invalid_request', 'not_found', 'internal_error'],
    handle({ params: { group } }, services) {
      const isSimulated = isServedSimulated(services);
      const name = `${group} ${isSimulated}`;
      const bytes = rendered.get(name) ?? docsGroupPage(document(), group, shared(isSimulated));
      if (bytes === undefined) throw new Failure('not_found', 'The reference has no such group.');
      rendered.set(name, bytes);
      return fileReply(bytes, { type: HTML }, services);
    },
    prepare: () => slugsOf(document()).map((group) => ({ group })),
    mirror: () => [],
  });
}

function errorPageEndpoint(document: () => OpenApiDocument, shared: SharedOf): Endpoint {
  return defineEndpoint({
    ...openPage,
    path: '/errors/:code',
    summary: 'Meaning and remedy of an error code, as a web page',
    mediaTypes: [plainType(HTML)],
    params: Strict({ code: Type.Enum(ERROR_CODES, { description: 'Code of an error' }) }),
    errors: ['invalid_request', 'not_found', 'internal_error'],
    handle: ({ params }, services) =>
      fileReply(
        errorPage(params.code as ErrorCode, document(), shared(isServedSimulated(services))),
        { type: HTML },
        services,
      ),
    prepare: () => ERROR_CODES.map((code) => ({ code })),
    mirror: () => [],
  });
}
