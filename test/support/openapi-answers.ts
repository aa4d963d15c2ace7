// Checks a response of the service against the API document with a third-party validator: status, headers, media type and body.
// `answerProblems` returns the problems; test/support/checked-fetch.ts calls it for every response that server tests receive.
import validatorPackage from 'openapi-response-validator';
import { LIMITS } from '../../schemas/plans.ts';
import { ALL_ENDPOINTS, ENDPOINTS } from '../../server/endpoints.ts';
import { openApiDocument } from '../../server/openapi/document.ts';
import type { Header, Operation, Response } from '../../server/openapi/model.ts';
import { usedComponents } from '../../server/openapi/used-components.ts';

export interface SeenAnswer {
  readonly method: string;
  /** The target as requested, with its query and not decoded. */
  readonly target: string;
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body after content decoding; undefined if it was not read. */
  readonly body: string | undefined;
}

const document = openApiDocument(ENDPOINTS);
const { components } = document;

/** The differences between the response and the document; empty if there are none. */
export function answerProblems(answer: SeenAnswer): string[] {
  if (isOfSite(answer)) return [];
  const operation = operationOf(answer);
  const problems = operation === undefined ? strayProblems(answer) : statusProblems(operation, answer);
  return problems.map((problem) => `${answer.method} ${answer.target} → ${answer.status}: ${problem}`);
}

/** Pages and their files are not part of the API. */
const SITE = ALL_ENDPOINTS.filter((endpoint) => !ENDPOINTS.includes(endpoint)).map(({ path }) =>
  path.replace(/:\w+/g, '{}').split('/'),
);

const isOfSite = ({ method, target }: SeenAnswer): boolean =>
  /^(GET|HEAD)$/.test(method) &&
  SITE.some((pattern) => fits(pattern, (target.split('?')[0] ?? '').split('/')));

/** The operation of a path. If several match, the one with the most fixed parts. */
function operationOf({ method, target }: SeenAnswer): Operation | undefined {
  if (!isReadable(target)) return undefined;
  const parts = (target.split('?')[0] ?? '').split('/');
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase() as 'get';
  const fitting = Object.entries(document.paths).filter(
    ([path, item]) => fits(path.split('/'), parts) && item[verb],
  );
  const [best] = fitting.toSorted(([a], [b]) => holes(a) - holes(b));
  return best?.[1][verb];
}

/** A request refused before its path is looked up has the error form of no family. */
function isReadable(target: string): boolean {
  try {
    decodeURIComponent(target);
    return target.length <= LIMITS.url_bytes;
  } catch {
    return false;
  }
}

const holes = (path: string): number => path.split('{').length;

const fits = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.length === parts.length &&
  pattern.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]));

const ERROR_BODIES: Response = {
  description: 'Any error',
  content: {
    'application/json': {
      schema: {
        anyOf: ['StandardError', 'LegacyError', 'FlatError'].map((name) => ({
          $ref: `#/components/schemas/${name}`,
        })),
      },
    },
  },
};

/** Outside the document, errors in one of the documented forms and responses to preflights are right. */
function strayProblems(answer: SeenAnswer): string[] {
  if (answer.method === 'OPTIONS' && answer.status === 204) return [];
  if (![400, 401, 404, 410, 429, 503].includes(answer.status)) return ['nothing is documented here'];
  // A browser gets a page.
  const isPage = answer.status === 404 && answer.header('content-type')?.startsWith('text/html') === true;
  return [...headerProblems(STRAY_HEADERS, answer), ...(isPage ? [] : bodyProblems(ERROR_BODIES, answer))];
}

const STRAY_HEADERS: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.entries(components.headers).filter(([name]) => /^X-(RateLimit|Request)/.test(name)),
);

function statusProblems(operation: Operation, answer: SeenAnswer): string[] {
  const found = operation.responses[String(answer.status)];
  if (found === undefined) return ['the status is not documented'];
  const response = '$ref' in found ? named(components.responses, found.$ref) : found;
  const headers = Object.entries(response.headers ?? {}).map(([name, header]): [string, Header] => [
    name,
    '$ref' in header ? named(components.headers, header.$ref) : header,
  ]);
  const inside = bodyProblems(response, answer);
  return [
    ...headerProblems(Object.fromEntries(headers), answer),
    ...inside,
    ...codeProblems(operation, answer),
  ];
}

function named<T>(map: Readonly<Record<string, T>>, ref: string): T {
  const found = map[ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`the document has no ${ref}`);
  return found;
}

function headerProblems(headers: Readonly<Record<string, Header>>, { header }: SeenAnswer): string[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const value = header(name);
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const isRight =
      (schema['type'] !== 'integer' || /^\d+$/.test(value)) &&
      (schema['pattern'] === undefined || new RegExp(String(schema['pattern'])).test(value)) &&
      (schema['enum'] === undefined || (schema['enum'] as readonly string[]).includes(value));
    return isRight ? [] : [`the header ${name} is ${value}`];
  });
}

function bodyProblems(response: Response, { method, header, body }: SeenAnswer): string[] {
  const types = Object.keys(response.content ?? {});
  const type = header('content-type')?.split(';')[0];
  if (types.length === 0)
    return body === undefined || body === '' ? [] : ['there is a body, but none is documented'];
  if (type === undefined || !types.includes(type)) return [`the media type ${type} is not documented`];
  if (type !== 'application/json' || body === undefined || method === 'HEAD') return [];
  return jsonProblems(response, body, header);
}

function jsonProblems(response: Response, body: string, header: SeenAnswer['header']): string[] {
  const value: unknown = JSON.parse(body);
  const errors = validatorOf(response).validateResponse('200', value)?.errors as
    | readonly unknown[]
    | undefined;
  const id = requestIdOf(value);
  const isOther = id !== undefined && id !== header('x-request-id');
  return [
    ...(errors ?? []).map((error) => JSON.stringify(error)),
    ...(isOther ? [`request_id ${id} is not X-Request-ID ${header('x-request-id')}`] : []),
  ];
}

type ErrorMember = { readonly request_id?: string; readonly code?: string } | string | null;
type ErrorBody = { readonly error?: ErrorMember; readonly details?: { readonly request_id?: string } };

function requestIdOf(value: unknown): string | undefined {
  const { error, details } = (value ?? {}) as ErrorBody;
  return typeof error === 'object' ? error?.request_id : details?.request_id;
}

/** Errors that the operation does not list. */
function codeProblems(operation: Operation, { status, body }: SeenAnswer): string[] {
  if (status < 400 || body === undefined || body === '') return [];
  const { error } = JSON.parse(body) as ErrorBody;
  const code = typeof error === 'object' ? error?.code : error;
  const isBare = code?.includes(' ') ?? true;
  return isBare || code === undefined || operation['x-error-codes'].includes(code)
    ? []
    : [`the error ${code} is not documented`];
}

// The package is CommonJS: depending on the loader, Node imports its class or an object whose `default` is the class.
const loaded: unknown = validatorPackage;
const Validator = (
  typeof loaded === 'function' ? loaded : (loaded as { readonly default: unknown }).default
) as typeof validatorPackage.default;
type AnyValidator = InstanceType<typeof Validator>;
const validators = new WeakMap<Response, AnyValidator>();

function validatorOf(response: Response): AnyValidator {
  let validator = validators.get(response);
  if (validator === undefined) {
    const { schemas } = usedComponents(components, response);
    const schema = response.content?.['application/json']?.schema ?? {};
    const given = { responses: { '200': { schema } }, components: { schemas }, customFormats: FORMATS };
    validator = new Validator(given as ConstructorParameters<typeof Validator>[0]);
    validators.set(response, validator);
  }
  return validator;
}

const FORMATS = {
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
};
