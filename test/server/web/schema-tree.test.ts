import { expect, test } from 'vitest';
import { exampleOf } from '../../../server/web/request-samples.ts';
import { schemaTree, typeName } from '../../../server/web/schema-tree.ts';

const schemas = {
  Row: {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', description: 'Age, `seconds`', example: 'x<y' },
      b: { type: 'integer', nullable: true, minimum: 1 },
    },
  },
};
const row = { $ref: '#/components/schemas/Row' };

test.each([
  [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
  [{ type: 'integer', nullable: true }, 'integer or null'],
  [{ type: 'array', items: { type: 'number' } }, 'list of number'],
  [{ type: 'array', items: row }, 'list of object'],
  [{ type: 'object', nullable: true, enum: [null] }, 'null'],
  [{ anyOf: [row] }, 'one of several'],
  [{}, 'anything'],
])('%j is called %s', (schema, words) => {
  expect(typeName(schema, schemas)).toBe(words);
});

test('a list of a named schema shows its members, with optionality, units and limits', () => {
  const { text } = schemaTree(
    { type: 'object', required: ['rows'], properties: { rows: { type: 'array', items: row } } },
    schemas,
  );
  expect(text).toContain('<details><summary><code>rows</code> <span class="type">list of object</span>');
  expect(text).toContain('Age, <code>seconds</code>');
  expect(text).toContain('for example <code>x&lt;y</code>');
  expect(text).toContain('<code>b</code> <span class="type">integer or null, may be absent</span>');
  expect(text).toContain('from 1');
});

test('the parts of an allOf are shown as one object, values of a record under a placeholder name', () => {
  const both = { allOf: [row, { type: 'object', properties: { c: { type: 'boolean' } } }] };
  expect(schemaTree(both, schemas).text).toMatch(/<code>a<\/code>[\s\S]*<code>c<\/code>/);
  expect(schemaTree({ type: 'object', additionalProperties: row }, schemas).text).toContain('&lt;name&gt;');
});

test('a recursive schema ends', () => {
  const endless = { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } };
  expect(schemaTree({ $ref: '#/components/schemas/Node' }, endless).text.length).toBeLessThan(5_000);
});

test('an example has the required members and no others', () => {
  expect(exampleOf({ type: 'array', items: row }, schemas)).toEqual([{ a: 'x<y' }]);
  expect(exampleOf({ type: 'integer', minimum: 5 }, schemas)).toBe(5);
  expect(exampleOf({ type: 'string', enum: ['p', 'q'] }, schemas)).toBe('p');
});
