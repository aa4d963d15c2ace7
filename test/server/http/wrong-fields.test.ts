// The member of a request that is named as wrong, and the problem stated, where a schema has alternatives.
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { Nullable, Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { FieldCheck } from '../../../server/http/wrong-fields.ts';

const problemsOf = (member: TSchema, value: unknown) =>
  new FieldCheck(new Ajv({ strict: false }), Strict({ it: member })).problemsOf({ it: value });

const STRATEGY = Type.Union([
  Type.Literal('immediate'),
  Strict({ twap: Strict({ slices: Type.Integer({ minimum: 1, maximum: 720 }) }) }),
]);
const KINDS = Type.Union([
  Strict({ kind: Type.Literal('supply'), amount: Type.Number({ minimum: 0 }) }),
  Strict({ kind: Type.Literal('pool'), pool: Type.String() }),
]);

test.each<[TSchema, unknown, string, string]>([
  [STRATEGY, { twap: { slices: 721 } }, 'it/twap/slices', 'must be at most 720'],
  [STRATEGY, { twap: {} }, 'it/twap/slices', 'is required'],
  [STRATEGY, { vwap: {} }, 'it/twap', 'is required'],
  [STRATEGY, 'later', 'it', 'must be immediate or an object'],
  [STRATEGY, 5, 'it', 'must be immediate or an object'],
  [KINDS, { kind: 'supply', amount: -1 }, 'it/amount', 'must be at least 0'],
  [Nullable(Type.Integer()), 'x', 'it', 'must be a whole number'],
  [Nullable(Strict({ a: Type.Integer() })), { a: 'x' }, 'it/a', 'must be a whole number'],
])('%j refuses %j: %s %s', (member, value, field, problem) => {
  expect(problemsOf(member, value)).toEqual([{ field, problem }]);
});
