// Error responses of an operation: for each status, the body forms and an example per code.
import { ERROR_PAGES } from '../../schemas/error-pages.ts';
import {
  BareErrorSchema,
  ERRORS,
  type ErrorCode,
  FlatErrorSchema,
  LegacyErrorSchema,
  StandardErrorSchema,
} from '../../schemas/errors.ts';
import { accessErrors } from '../access/authorize.ts';
import type { Endpoint, Envelope } from '../define/endpoint.ts';
import { type ErrorForm, errorForm } from '../replies/error-response.ts';
import { errorHeaders, isIdempotent } from './headers.ts';
import type { Reference, Response } from './model.ts';
import type { SchemaNames } from './named-schemas.ts';
import { refTo } from './used-components.ts';

const REQUEST_ID = 'req_5f2c9a_17';
const DOCS = 'https://api.example.com';

const FORMS: Readonly<Record<ErrorForm, object>> = {
  standard: StandardErrorSchema,
  legacy: LegacyErrorSchema,
  flat: FlatErrorSchema,
  bare: BareErrorSchema,
};

/** Every error that the endpoint and the layers in front of it can return. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const { access, errors, params } = endpoint;
  const codes = new Set<ErrorCode>([
    ...errors,
    ...accessErrors(access),
    'invalid_request',
    // Raised for an unknown parameter (decision 58).
    'validation_failed',
    'unavailable',
    'internal_error',
  ]);
  if (Object.keys(params.properties).length > 0) codes.add('not_found');
  if (isIdempotent(endpoint))
    for (const code of ['conflict', 'idempotency_in_flight'] as const) codes.add(code);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

interface Case {
  readonly code: ErrorCode;
  readonly form: ErrorForm;
  readonly status: number;
}

function caseOf(endpoint: Endpoint, code: ErrorCode): Case {
  const { http } = ERRORS[code];
  const status = code === 'internal_error' ? (endpoint.internalErrorStatus ?? http) : http;
  return { code, status, form: errorForm(code, endpoint.envelope) };
}

/** The error responses of operations, each defined once and referenced by name. */
export class ErrorResponses {
  readonly responses: Record<string, Response> = {};
  readonly #schemas: SchemaNames;

  constructor(schemas: SchemaNames) {
    this.#schemas = schemas;
  }

  /** By status. */
  of(endpoints: readonly Endpoint[]): Record<string, Reference> {
    const cases = endpoints.flatMap((endpoint) =>
      errorCodesOf(endpoint).map((code) => caseOf(endpoint, code)),
    );
    const byStatus = Map.groupBy(cases, ({ status }) => status);
    return Object.fromEntries(
      [...byStatus].map(([status, group]) => [String(status), this.#refTo(status, group)]),
    );
  }

  #refTo(status: number, cases: readonly Case[]): Reference {
    const names = new Set(cases.map(({ code, form }) => exampleName(code, form)));
    const name = [status, ...names].join('-');
    this.responses[name] ??= responseOf(status, cases, this.#schemas);
    return { $ref: refTo('responses', name) };
  }
}

function responseOf(status: number, cases: readonly Case[], schemas: SchemaNames): Response {
  const codes = [...new Set(cases.map(({ code }) => code))];
  const forms = [...new Set(cases.map(({ form }) => form))].map((form) => schemas.convert(FORMS[form]));
  const [only] = forms;
  const examples = cases.map(({ code, form }) => [
    code,
    { $ref: refTo('examples', exampleName(code, form)) },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join(' '),
    headers: errorHeaders(status),
    content: {
      'application/json': {
        schema: forms.length === 1 && only !== undefined ? only : { oneOf: forms },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const exampleName = (code: ErrorCode, form: ErrorForm): string =>
  form === ERRORS[code].body ? code : `${form}.${code}`;

const ENVELOPES: readonly Envelope[] = ['v2', 'legacy', 'flat'];

/** An example of every error in each of its forms. */
export function errorExamples(): Record<string, { summary: string; value: unknown }> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return Object.fromEntries(
    codes.flatMap((code) => {
      const summary = ERRORS[code].message;
      const forms = new Set(ENVELOPES.map((envelope) => errorForm(code, envelope)));
      return [...forms].map((form) => [
        exampleName(code, form),
        { summary, value: errorExample(code, form) },
      ]);
    }),
  );
}

/** A body as a client receives it. */
export function errorExample(code: ErrorCode, form: ErrorForm = ERRORS[code].body): object {
  const { message, is_documented } = ERRORS[code];
  const { details } = ERROR_PAGES[code];
  const request_id = REQUEST_ID;
  switch (form) {
    case 'bare':
      return { error: message };
    case 'flat':
      return { error: code, message, details: { ...details, request_id } };
    case 'legacy':
      return {
        status: false,
        data: [],
        message,
        error: { code, message, ...(details && { details }), request_id },
      };
    case 'standard': {
      const link = is_documented ? { documentation_url: `${DOCS}/errors/${code}` } : {};
      return { error: { code, message, ...(details && { details }), request_id, ...link } };
    }
  }
}
