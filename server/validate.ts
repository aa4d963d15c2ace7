// Checks of what comes in and, in tests, of what goes out. Schemas are compiled once, at start.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { TObject } from 'typebox';
import type { Answer } from './answer.ts';
import type { Endpoint } from './define.ts';
import { Failure } from './define-failure.ts';
import { readQuery } from './query.ts';

type Fields = Readonly<Record<string, unknown>>;
export interface InputReader {
  /** @throws Failure `validation_failed` */
  query(search: string): Fields;
  /** @throws Failure `not_found` */
  params(given: Fields): Fields;
}

/** What is wrong with the query is found before what is not there (decision 69). */
export function inputReader(endpoint: Endpoint): InputReader {
  const checkParams = ajv.compile(endpoint.params);
  const checkQuery = ajv.compile(endpoint.query);
  const names = Object.keys(endpoint.params.properties);
  return {
    query(search) {
      const query = readQuery(endpoint.query, search);
      if (!checkQuery(query)) throw validationFailure(checkQuery, 'query');
      return query;
    },
    params(given) {
      // The router also hands over what an earlier pattern of the same path called its parameters.
      const params = Object.fromEntries(names.map((name) => [name, given[name]]));
      if (!checkParams(params)) throw new Failure('not_found');
      return params;
    },
  };
}

/** Gives the body back when it is what the schema says. @throws Failure `validation_failed` */
export function bodyChecker(schema: TObject): (value: unknown) => Fields {
  const check = ajv.compile<Fields>(schema);
  return (value) => {
    if (!check(value)) throw validationFailure(check, 'body');
    return value;
  };
}

/** Answers what is wrong with a response, or undefined. What is no JSON of ours is not looked at. */
export function responseChecker(endpoint: Endpoint): (answer: Answer) => string | undefined {
  const check = ajv.compile(endpoint.response);
  return ({ status, body, isJson }) =>
    status === 204 || !isJson || check(JSON.parse(body.toString()))
      ? undefined
      : ajv.errorsText(check.errors);
}

/** One for the whole process: it keeps what it has compiled, and making one costs more than compiling a schema. */
const ajv = newAjv();

function newAjv(): Ajv {
  const made = new Ajv({ allErrors: true });
  // The package is CommonJS: its function is the module's `default` for Node and the module itself for the type checker.
  (addFormats as unknown as { default: (ajv: Ajv) => void }).default(made);
  return made;
}

function validationFailure(check: ValidateFunction, where: 'query' | 'body'): Failure {
  const fields = (check.errors ?? []).map((error) => ({ field: fieldOf(error), problem: problemOf(error) }));
  const message = `${fields.map(({ field, problem }) => `${field} ${problem}`).join('; ')}.`;
  const parameter = where === 'query' && fields[0] !== undefined ? { parameter: fields[0].field } : {};
  return new Failure('validation_failed', message, { details: { ...parameter, fields } });
}

const fieldOf = (error: ErrorObject) =>
  [error.instancePath.slice(1), error.params['missingProperty'] ?? error.params['additionalProperty']]
    .filter((part) => part !== undefined && part !== '')
    .join('/') || 'body';

function problemOf({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  if (keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as readonly string[]).join(', ')}`;
  if (keyword === 'required') return 'is required';
  return keyword === 'additionalProperties' ? 'is not known here' : message;
}
