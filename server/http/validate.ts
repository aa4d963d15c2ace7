// Validates requests and, in tests, responses. Schemas are compiled once, at startup.
import type { TObject } from 'typebox';
import { newValidator } from '../../schemas/validator.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { RenderedResponse } from '../replies/rendered-response.ts';
import { readQuery } from './query.ts';
import { FieldCheck, type WrongField } from './wrong-fields.ts';

type Fields = Readonly<Record<string, unknown>>;
export interface InputReader {
  /** @throws Failure `validation_failed` */
  query(search: string): Fields;
  /** @throws Failure `not_found` */
  params(given: Fields): Fields;
}

/** An invalid query is reported before a missing resource (decision 69). */
export function inputReader(endpoint: Endpoint): InputReader {
  const checkParams = requests.compile(endpoint.params);
  const checkQuery = new FieldCheck(requests, endpoint.query);
  const names = Object.keys(endpoint.params.properties);
  return {
    query(search) {
      const query = readQuery(endpoint.query, search, endpoint.ignoresUnknownParameters);
      if (!checkQuery.accepts(query)) throw validationFailure(checkQuery.problemsOf(query), 'query');
      return query;
    },
    params(given) {
      // The router also passes the parameters of earlier patterns that match the same path.
      const params = Object.fromEntries(names.map((name) => [name, inOneSpelling(given[name])]));
      if (!checkParams(params)) throw new Failure('not_found');
      return params;
    },
  };
}

const ADDRESS_OR_HASH = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Ids are published in lower case; an address with a checksum in its casing is the same one. */
const inOneSpelling = (value: unknown): unknown =>
  typeof value === 'string' && ADDRESS_OR_HASH.test(value) ? value.toLowerCase() : value;

/** Returns the body if it matches the schema. @throws Failure `validation_failed` */
export function bodyChecker(schema: TObject): (value: unknown) => Fields {
  const check = new FieldCheck(requests, schema);
  return (value) => {
    if (!check.accepts(value)) throw validationFailure(check.problemsOf(value), 'body');
    return value as Fields;
  };
}

/** Returns the problem of a response, or undefined. Bodies of other media types are not checked. */
export function responseChecker(endpoint: Endpoint): (rendered: RenderedResponse) => string | undefined {
  const check = responses.compile(endpoint.response);
  return ({ status, body, isJson }) =>
    status === 204 || !isJson || check(JSON.parse(body.toString()))
      ? undefined
      : responses.errorsText(check.errors);
}

/** Shared by the whole process, because they cache compiled schemas, and creating a validator costs more than compiling a schema. */
const requests = newValidator({ allErrors: false });
const responses = newValidator({ allErrors: true });

function validationFailure(fields: readonly WrongField[], where: 'query' | 'body'): Failure {
  const message = `${fields.map(({ field, problem }) => `${field} ${problem}`).join('; ')}.`;
  const parameter = where === 'query' && fields[0] !== undefined ? { parameter: fields[0].field } : {};
  return new Failure('validation_failed', message, { details: { ...parameter, fields } });
}
