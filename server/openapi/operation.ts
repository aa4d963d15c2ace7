// One operation of the document, built from the endpoint objects of its path.
import { LIMITS } from '../../schemas/plans.ts';
import { scopesOf } from '../access/authorize.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { type ErrorResponses, errorCodesOf } from './error-responses.ts';
import { type EndpointGroup, operationId } from './group-endpoints.ts';
import { partHeaders, successHeaders } from './headers.ts';
import type { MediaContent, Operation, Response } from './model.ts';
import type { SchemaNames } from './named-schemas.ts';
import { parametersOf } from './parameters.ts';
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
  if (/yaml$/.test(type)) return { schema: { type: 'object', additionalProperties: true } };
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
