// One operation of the document, built from the endpoint objects of its path.
import type { TSchema } from '../../schemas/define.ts';
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { scopesOf } from '../access/authorize.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { type ErrorResponses, errorCodesOf } from './error-responses.ts';
import { type EndpointGroup, operationId } from './group-endpoints.ts';
import { partHeaders, successHeaders, isIdempotent } from './headers.ts';
import type { MediaContent, Operation, Response, Parameter, Reference } from './model.ts';
import type { SchemaNames } from './named-schemas.ts';
import { refTo } from './used-components.ts';

export const BEARER = 'ApiKey';

export interface SharedComponents {
  readonly schemas: SchemaNames;
  readonly errors: ErrorResponses;
}

export function operationOf(group: EndpointGroup, { schemas: named, errors }: SharedComponents): Operation {
  const { endpoints } = group;
  const [first] = endpoints;
  const parameters = parametersOf(group, named);
  const codes = new Set(endpoints.flatMap(errorCodesOf));
  return {
    operationId: operationId(group),
    tags: [first.tag.name],
    summary: joined(endpoints.map(({ summary }) => summary)),
    description: describe(first),
    security: first.access === 'open' ? [{}, { [BEARER]: [] }] : [{ [BEARER]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(first, named),
    responses: { ...successesOf(group, named), ...errors.of(endpoints) },
    'x-required-plan': first.access === 'open' ? null : first.access.plan,
    'x-required-scope': first.access === 'open' ? null : first.access.scope,
    'x-error-codes': [...codes],
  };
}

const joined = (texts: readonly string[]): string => [...new Set(texts)].join('; or: ');

function describe({ access, cache }: Endpoint): string {
  const who =
    access === 'open'
      ? 'Open; a request with a key counts against the limit of that key.'
      : `Requires the ${capital(access.plan)} plan${access.plan === 'free' ? '' : ' or higher'} and a key with the ${scopeText(scopesOf(access))}.`;
  const kept =
    cache === 'none'
      ? 'The response must not be cached.'
      : `The response may be cached for ${LIMITS.cache_max_age_seconds} seconds; with \`If-None-Match\`, 304 while nothing has changed.`;
  return `${who} ${kept}`;
}

const scopeText = (scopes: readonly string[]): string =>
  `${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.map((scope) => `\`${scope}\``).join(', ')}`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function requestBody({ body }: Endpoint, named: SchemaNames): Pick<Operation, 'requestBody'> {
  if (body === undefined) return {};
  const required = (body.required ?? []).length > 0;
  return { requestBody: { required, content: { 'application/json': { schema: named.convert(body) } } } };
}

function successesOf({ endpoints, method }: EndpointGroup, named: SchemaNames): Operation['responses'] {
  const [first] = endpoints;
  const headers = successHeaders(endpoints);
  const isConditional = method === 'GET' && first.cache === 'shared';
  return {
    [String(first.status ?? 200)]: { description: first.summary, headers, ...contentOf(endpoints, named) },
    ...(first.hasRanges && {
      '206': {
        description: 'The requested byte range',
        headers: partHeaders(endpoints),
        content: filesOf(first),
      },
    }),
    ...(isConditional && { '304': { $ref: refTo('responses', 'NotModified') } }),
  };
}

/** Content other than JSON: text, bytes, or a value in another format. */
function otherContent(type: string): MediaContent {
  if (/yaml$|\+json$/.test(type)) return { schema: { type: 'object', additionalProperties: true } };
  const isText = /^text\/|ndjson$/.test(type);
  return { schema: isText ? { type: 'string' } : { type: 'string', format: 'binary' } };
}

const filesOf = ({ mediaTypes = [] }: Endpoint): Record<string, MediaContent> =>
  Object.fromEntries(mediaTypes.map((type) => [type, otherContent(type)]));

function contentOf(endpoints: EndpointGroup['endpoints'], named: SchemaNames): Pick<Response, 'content'> {
  const [first] = endpoints;
  if (first.status === 204) return {};
  const schemas = endpoints.map(({ response }) => named.convert(response));
  const [only] = schemas;
  const json = { schema: schemas.length === 1 && only !== undefined ? only : { anyOf: schemas } };
  const others = filesOf(first);
  const isJson = first.mediaTypes === undefined || first.isNegotiated === true;
  return { content: { ...(isJson && { 'application/json': json }), ...others } };
}

// The parameters of an operation: path and query parameters, and the request headers that it reads.

function parametersOf(group: EndpointGroup, named: SchemaNames): (Parameter | Reference)[] {
  return [...pathParameters(group, named), ...queryParameters(group.endpoints, named), ...headersOf(group)];
}

function pathParameters({ names, endpoints }: EndpointGroup, named: SchemaNames): Parameter[] {
  return [...names].map(([index, name]) => {
    const schemas = endpoints.flatMap(({ path, params }) => {
      const own = path.split('/')[index]?.slice(1) ?? '';
      return (params.properties as Record<string, TSchema>)[own] ?? [];
    });
    return { name, in: 'path', required: true, ...described(anyOf(schemas, named)) };
  });
}

function anyOf(schemas: readonly TSchema[], named: SchemaNames): OpenApiSchema {
  const made = schemas.map((schema) => named.convert(schema));
  const [first] = made;
  if (made.length === 1 && first !== undefined) return first;
  const parts = made.flatMap(({ description }) => (typeof description === 'string' ? description : []));
  return { description: parts.join('; or: '), anyOf: made };
}

/** The description of a schema is moved to the parameter. */
function described({ description, example, ...schema }: OpenApiSchema): Pick<Parameter, 'schema'> {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example }),
    schema,
  };
}

function queryParameters(endpoints: readonly Endpoint[], named: SchemaNames): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { query } of endpoints) {
    const required = new Set(query.required);
    for (const [name, schema] of Object.entries(query.properties as Record<string, TSchema>)) {
      found.set(name, {
        name,
        in: 'query',
        required: endpoints.length === 1 && required.has(name),
        ...described(named.convert(schema)),
      });
    }
  }
  return [...found.values()];
}

function headersOf({ method, endpoints }: EndpointGroup): Reference[] {
  const found: Reference[] = [];
  if (method === 'GET' && endpoints.some(({ cache }) => cache === 'shared'))
    found.push({ $ref: refTo('parameters', 'IfNoneMatch') });
  if (endpoints.some(({ hasRanges }) => hasRanges))
    for (const name of ['Range', 'IfRange']) found.push({ $ref: refTo('parameters', name) });
  if (endpoints.some(isIdempotent)) found.push({ $ref: refTo('parameters', 'IdempotencyKey') });
  return found;
}
