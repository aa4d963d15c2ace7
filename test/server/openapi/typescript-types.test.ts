import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/openapi/model.ts';
import { typescriptTypes } from '../../../server/openapi/typescript-types.ts';

const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const operation = (more: object) => ({
  summary: 'Things',
  responses: { 200: json({ type: 'string' }) },
  ...more,
});

/** Types of a document with these schemas and paths, without blanks at the ends of lines. */
function typesOf(schemas: object, paths: object = {}): string {
  const parameters = { Limit: { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } } };
  const components = { schemas, parameters, responses: { Gone: { description: '' } } };
  return typescriptTypes({ components, paths } as unknown as OpenApiDocument);
}

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer', nullable: true }, 'number | null'],
  [{ type: 'string', enum: ['a', 'b', null], nullable: true }, '"a" | "b" | null'],
  [{ type: 'object', nullable: true, enum: [null] }, 'null'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, 'Array<string | number>'],
  [{ type: 'array' }, 'Array<unknown>'],
  [{ $ref: '#/components/schemas/Other' }, 'Other'],
  [{ allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }, '(A) & (B)'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{}, 'unknown'],
  [{ nullable: true }, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typesOf({ Thing: schema })).toContain(`export type Thing = ${type};\n`);
});

test('an object is an interface: what is not required may be absent, and odd names are quoted', () => {
  const properties = { id: { type: 'string' }, 'page[limit]': { type: 'integer' } };
  expect(typesOf({ Thing: { type: 'object', required: ['id'], properties } })).toContain(
    'export interface Thing {\nid: string;\n"page[limit]"?: number;\n}\n',
  );
});

test('a type has its description as a comment, which cannot end early; a member has none', () => {
  const properties = { a: { type: 'string', description: 'Member' } };
  expect(typesOf({ Thing: { type: 'object', description: 'a */ b', properties } })).toContain(
    '/** a * / b */\nexport interface Thing {\na?: string;\n}\n',
  );
});

test('an endpoint has its parameters, its body and its answer', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const paths = {
    '/things/{id}': {
      post: operation({
        parameters: [id, { $ref: '#/components/parameters/Limit' }],
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'number' } } } },
        responses: {
          200: json({ type: 'boolean' }),
          204: { description: '' },
          404: json({ type: 'string' }),
        },
      }),
    },
  };
  expect(typesOf({}, paths)).toContain(
    '/** Things */\n"/things/{id}": {\nparams: {\nid: string;\n};\nquery: {\nlimit?: number;\n};\nbody: number;\nanswer: boolean | undefined;\n};\n',
  );
});

test('an endpoint that answers with something other than JSON is left out', () => {
  const svg = { 200: { description: '', content: { 'image/svg+xml': { schema: { type: 'string' } } } } };
  expect(typesOf({}, { '/badge.svg': { get: operation({ responses: svg }) } })).not.toContain('badge');
});

test('a reference to nothing is an error', () => {
  const parameters = [{ $ref: '#/components/parameters/None' }];
  expect(() => typesOf({}, { '/a': { get: operation({ parameters }) } })).toThrow(
    'The document has no parameter #/components/parameters/None.',
  );
});
