import { expect, test } from 'vitest';
import { Nullable, Strict, Type } from '../../schemas/define.ts';
import { openapi30 } from '../../schemas/openapi30.ts';

const inner = Strict({ a: Type.String() });
const refOf = (schema: object) => (schema === inner ? '#/components/schemas/Inner' : undefined);
const innerWritten = {
  type: 'object',
  required: ['a'],
  properties: { a: { type: 'string' } },
  additionalProperties: false,
};

test.each([
  ['null alone', Type.Null(), { type: 'object', nullable: true, enum: [null] }],
  [
    'a nullable text',
    Nullable(Type.String({ format: 'date' })),
    { type: 'string', format: 'date', nullable: true },
  ],
  [
    'a nullable choice lists null among its values',
    Nullable(Type.Enum(['x', 'y'])),
    { type: 'string', enum: ['x', 'y', null], nullable: true },
  ],
  ['a nullable anything is anything', Nullable(Type.Unknown()), {}],
  ['a constant', Type.Literal(true), { type: 'boolean', enum: [true] }],
  ['a choice of texts', Type.Enum(['x']), { type: 'string', enum: ['x'] }],
  ['one example of several', Type.String({ examples: ['p', 'q'] }), { type: 'string', example: 'p' }],
  [
    'open limits',
    Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
  ],
  [
    'a record',
    Type.Record(Type.String(), Type.Integer()),
    { type: 'object', additionalProperties: { type: 'integer' } },
  ],
  [
    'a record of anything',
    Type.Record(Type.String(), Type.Unknown()),
    { type: 'object', additionalProperties: true },
  ],
  [
    'an empty list',
    Type.Array(Type.Never(), { maxItems: 0 }),
    { type: 'array', items: { not: {} }, maxItems: 0 },
  ],
  [
    'a choice of shapes',
    Type.Union([Type.String(), inner]),
    { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Inner' }] },
  ],
  [
    'a nullable choice of shapes',
    Type.Union([Type.String(), Type.Integer(), Type.Null()], { description: 'd' }),
    {
      description: 'd',
      anyOf: [
        { type: 'string', nullable: true },
        { type: 'integer', nullable: true },
      ],
    },
  ],
  ['a named schema on its own is written out', inner, innerWritten],
  [
    'a named schema below is a reference, and written out where it may be null',
    Strict({ i: inner, n: Nullable(inner) }),
    {
      type: 'object',
      required: ['i', 'n'],
      properties: { i: { $ref: '#/components/schemas/Inner' }, n: { ...innerWritten, nullable: true } },
      additionalProperties: false,
    },
  ],
])('%s', (_, schema, expected) => {
  expect(openapi30(schema, refOf)).toEqual(expected);
});

test.each([
  [Strict({ pair: Type.Tuple([Type.String()]) }), /"\w+" at properties\.pair/],
  [Type.Unsafe({ type: 'object', propertyNames: {} }), /"propertyNames" at the top/],
  [Type.Unsafe({ type: ['string', 'null'] }), /"type" at the top/],
  [
    Strict({ r: Type.Record(Type.String({ pattern: '^a' }), Type.String()) }),
    /"patternProperties" at properties\.r/,
  ],
])('what cannot be expressed is refused with its location: %j', (schema, words) => {
  expect(() => openapi30(schema)).toThrow(words);
});
