import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import {
  BareErrorSchema,
  ERRORS,
  type ErrorCode,
  FlatErrorSchema,
  LegacyErrorSchema,
  StandardErrorSchema,
} from '../../../schemas/errors.ts';
import { Failure } from '../../../server/define/failure.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { errorResponse, failureOf } from '../../../server/replies/error-response.ts';

const ajv = new Ajv({ strict: false });
const checks = {
  standard: ajv.compile(StandardErrorSchema),
  flat: ajv.compile(FlatErrorSchema),
  bare: ajv.compile(BareErrorSchema),
  legacy: ajv.compile(LegacyErrorSchema),
};
const context = { requestId: 'req_1', docsUrl: 'https://docs.example' };
const codes = Object.keys(ERRORS) as ErrorCode[];

test.each(codes)('%s has the body of its form, its status and the request id, in every family', (code) => {
  const { body: form, http, is_documented } = ERRORS[code];
  for (const envelope of ['v2', 'legacy', 'legacy_data', 'flat', 'plain', undefined] as const) {
    const endpoint = envelope && { envelope };
    const answer = errorResponse(new Failure(code, undefined, { details: { a: 1 } }), {
      ...context,
      endpoint,
    });
    const body = JSON.parse(answer.body.toString());
    const isAdmitted = ![401, 402, 403, 429].includes(http);
    const ofFamily = envelope?.startsWith('legacy')
      ? 'legacy'
      : envelope === 'flat' && isAdmitted
        ? 'flat'
        : 'standard';
    const expected = form === 'standard' ? ofFamily : form;
    expect([checks[expected](body), checks[expected].errors]).toEqual([true, null]);
    expect(answer.status).toBe(http);
    if (form !== 'bare') expect(JSON.stringify(body)).toContain('req_1');
    const link = `https://docs.example/errors/${code}`;
    if (expected === 'standard') expect(body.error.documentation_url).toBe(is_documented ? link : undefined);
  }
});

test('an internal error has the status that its endpoint documents; other errors keep theirs', () => {
  const endpoint = { envelope: 'legacy_data', internalErrorStatus: 505 } as const;
  const statusOf = (code: ErrorCode) => errorResponse(new Failure(code), { ...context, endpoint }).status;
  expect([statusOf('internal_error'), statusOf('not_found'), statusOf('unavailable')]).toEqual([
    505, 404, 503,
  ]);
});

test('the message of an unexpected error is not disclosed', () => {
  const failure = failureOf(new Error('secret'));
  expect(failure.code).toBe('internal_error');
  expect(errorResponse(failure, context).body.toString()).not.toContain('secret');
});

test('endpoints declare known errors and a summary, and no path twice', () => {
  for (const { errors, summary } of ENDPOINTS) {
    expect(codes).toEqual(expect.arrayContaining([...errors]));
    expect(summary.length).toBeGreaterThan(10);
  }
  expect(new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ENDPOINTS.length);
});
