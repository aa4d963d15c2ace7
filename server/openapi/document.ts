// The whole API as one OpenAPI 3.0.3 document, built from the endpoint objects, the schemas and the catalogues.

import { stringify } from 'yaml';
import { SCHEMA_VERSION } from '../../schemas/envelopes.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { tagsOf } from '../define/tags.ts';
import { ErrorResponses, errorExamples } from './error-responses.ts';
import { eventStream, eventWebhooks } from './event-webhooks.ts';
import { groupEndpoints } from './group-endpoints.ts';
import { DELIVERY_HEADERS, NOT_MODIFIED, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts';
import type { OpenApiDocument, PathItem } from './model.ts';
import { SchemaNames } from './named-schemas.ts';
import { BEARER, operationOf, type SharedComponents } from './operation.ts';
import { componentsIn, usedComponents } from './used-components.ts';

const DESCRIPTION = `Risk and analytics data about decentralized-finance protocols, networks, oracles and yield opportunities.

Paths under \`/v2\` return \`{data, meta, error}\`; paths under \`/scores\` and \`/data\` return \`{status, data}\` with daily records of the last seven days, newest first. \`null\` means "not known" and never stands for 0. Units are in the names of fields or in their descriptions.

Errors carry a stable \`code\`: branch on it, not on the message. Every code is explained at \`/errors/<code>\`. After 429 wait for \`Retry-After\`; after 5xx retry a few times with growing pauses; for other errors correct the request first.

Every GET also supports HEAD. Text is compressed when \`Accept-Encoding\` allows it.`;

const INFO = {
  title: 'DeFi risk data service',
  version: SCHEMA_VERSION,
  description: DESCRIPTION,
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const BEARER_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rk_live_…',
  description: 'An API key of an organisation, in the header `Authorization: Bearer <API_KEY>`',
};

/** Strict: responses have no members but these. `extensibleResponses` makes the form that is published. */
export function openApiDocument(endpoints: readonly Endpoint[]): OpenApiDocument {
  const schemas = new SchemaNames();
  const errors = new ErrorResponses(schemas);
  const paths = pathsOf(endpoints, { schemas, errors });
  const events = { 'x-webhooks': eventWebhooks(schemas), 'x-websocket': eventStream(schemas) };
  const components = {
    schemas: schemas.components(),
    responses: { ...errors.responses, NotModified: NOT_MODIFIED },
    headers: RESPONSE_HEADERS,
    parameters: { ...REQUEST_HEADERS, ...DELIVERY_HEADERS },
    examples: errorExamples(),
    securitySchemes: { [BEARER]: BEARER_SCHEME },
  };
  return {
    openapi: '3.0.3',
    info: INFO,
    servers: [{ url: '/', description: 'The host that serves this document' }],
    tags: tagsOf(endpoints),
    security: [{ [BEARER]: [] }],
    paths,
    components: usedComponents(components, { paths, events }),
    ...events,
  };
}

function pathsOf(endpoints: readonly Endpoint[], shared: SharedComponents): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const group of groupEndpoints(endpoints)) {
    const method = group.method.toLowerCase();
    paths[group.path] = { ...paths[group.path], [method]: operationOf(group, shared) };
  }
  return paths;
}

type Paths = OpenApiDocument['paths'];

/**
 * The document without `additionalProperties: false`, except in request bodies and the schemas that they use. Responses may gain members, so a
 * generated client must accept ones that it does not know. Our schemas are strict, because they filter what is sent.
 */
export function extensibleResponses(document: OpenApiDocument): OpenApiDocument {
  const { components } = document;
  const bodies = Object.values(document.paths as Paths).flatMap((item) =>
    Object.values(item as Record<string, { readonly requestBody?: unknown }>).map(
      ({ requestBody }) => requestBody,
    ),
  );
  const sent = componentsIn(components, bodies);
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      sent.has(`#/components/schemas/${name}`) ? schema : withoutLimit(schema),
    ]),
  );
  return withoutLimit(document, {
    components: { ...components, schemas, responses: withoutLimit(components.responses) },
  });
}

/** A copy in which objects may have further members; request bodies and `replaced` members stay as they are. */
function withoutLimit<T>(value: T, replaced: Readonly<Record<string, unknown>> = {}): T {
  if (Array.isArray(value)) return value.map((item) => withoutLimit(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !(name === 'additionalProperties' && member === false),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      replaced[name] ?? (name === 'requestBody' ? member : withoutLimit(member)),
    ]),
  ) as T;
}

const HEAD = '# Generated by `npm run openapi` from the endpoints and schemas; do not edit.\n';

/**
 * The document as YAML, as committed and served. No anchors and no line wrapping, so that changing a word changes one line. Quoted so that a reader of YAML 1.1, to which an instant is a
 * date and `no` is false, reads the same text.
 */
export const yamlOf = (document: object): string =>
  HEAD + stringify(document, { schema: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 });
