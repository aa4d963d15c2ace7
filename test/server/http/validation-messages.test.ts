// The problems that the request validator finds, in the words of a response.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { IsoTime, type TSchema, Type, Ulid } from '../../../schemas/define.ts';
import { instantParameter } from '../../../server/define/parameters.ts';
import { textOf } from '../../../server/http/wrong-fields.ts';

const ajv = addFormats.default(new Ajv({ strict: false, verbose: true }));

function words(schema: TSchema, value: unknown): string | null {
  const check = ajv.compile(schema);
  const [error] = check(value) ? [] : (check.errors ?? []);
  return error === undefined ? null : textOf(error);
}

const instant = 'must be a time in UTC, such as 2026-01-31T09:00:00Z';

test.each<[TSchema, unknown, string]>([
  [Type.Integer(), 1.5, 'must be a whole number'],
  [Type.Number(), 'x', 'must be a number'],
  [Type.String(), 1, 'must be a string'],
  [Type.Boolean(), 'yes', 'must be true or false'],
  [Type.Array(Type.String()), 'x', 'must be a list'],
  [Type.Number({ minimum: 1 }), 0, 'must be at least 1'],
  [Type.Number({ maximum: 500 }), 501, 'must be at most 500'],
  [Type.Number({ exclusiveMinimum: 0 }), 0, 'must be more than 0'],
  [Type.Number({ exclusiveMaximum: 1 }), 1, 'must be less than 1'],
  [Type.String({ minLength: 1 }), '', 'must have at least 1 character'],
  [Type.String({ maxLength: 2 }), 'abc', 'must have at most 2 characters'],
  [Type.Array(Type.Number(), { minItems: 1 }), [], 'must have at least 1 item'],
  [Type.Array(Type.Number(), { maxItems: 2 }), [1, 2, 3], 'must have at most 2 items'],
  [
    Type.Array(Type.Number(), { uniqueItems: true }),
    [7, 8, 7],
    'has the same item twice: items 0 and 2, counting from 0',
  ],
  [Type.Object({}, { minProperties: 1 }), {}, 'must have at least 1 member'],
  [Type.Object({ a: Type.String() }), {}, 'is required'],
  [Type.Object({}, { additionalProperties: false }), { b: 1 }, 'is not allowed here'],
  [Type.Enum(['low', 'high']), 'mild', 'must be one of low, high'],
  [Type.Enum(['low', 'high']), 'hihg', 'must be one of low, high; did you mean high?'],
  [Type.Enum(['low', 'high']), 'h'.repeat(1_000), 'must be one of low, high'],
  [IsoTime('when'), '2026-01-31', instant],
  [IsoTime('when'), '2026-01-31T09:00:00+01:00', instant],
  [IsoTime('when'), 'Z', instant],
  [Type.String({ pattern: '\\S' }), ' ', 'must not be blank'],
  [Ulid('id'), 'x', 'must be 26 digits and capital letters, such as 01HZX3K9Q4T2V7B8N6M5P1R0SD'],
  [
    instantParameter('from'),
    'yesterday',
    'must be a time in UTC, such as 2026-01-31 or 2026-01-31T09:00:00Z, or Unix seconds',
  ],
  [Type.String({ pattern: '^a' }), 'b', 'must match pattern "^a"'],
])('%j refuses %j: it %s', (schema, value, problem) => {
  expect(words(schema, value)).toBe(problem);
});
