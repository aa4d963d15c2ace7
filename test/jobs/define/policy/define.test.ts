// What is derived from the schema of a policy: defaults, type, section, messages, documentation and a table.
import { expect, test } from 'vitest';
import {
  definePolicy,
  oneRow,
  type PolicyDefinition,
  Strict,
  Type,
} from '../../../../jobs/define/policy/define.ts';
import { describePolicy } from '../../../docs/describe-policy.ts';
import { defaultPolicy, mergePolicy, policySchema } from '../../../../jobs/define/policy/load.ts';
import { SettingsError } from '../../../../platform/settings/settings-error.ts';

const schema = Strict({
  warn_from: Type.Number({ minimum: 0, exclusiveMaximum: 1, default: 0.5, description: 'Share that warns' }),
  keep_days: Type.Integer({
    minimum: 1,
    maximum: 30,
    default: 7,
    description: 'Days kept',
    column: 'keep_s',
    times: 86_400,
  }),
  scale: Type.Number({ default: 3, readOnly: true, description: 'Scale of the model' }),
  nested: Strict({
    is_open: Type.Boolean({ default: true, description: 'Whether it is open' }),
    hidden: Type.Integer({ minimum: 0, default: 1, description: 'No column', column: false }),
  }),
  places: Type.Array(
    Strict({
      name: Type.String({ pattern: '^[a-z]+$', expected: 'a name in lower case', description: 'Name' }),
      height: Type.Number({ minimum: 0, inherited: true, description: 'Height' }),
      old: Type.Optional(Type.String({ description: 'Earlier name' })),
      new: Type.Optional(Type.String({ description: 'Later name' })),
    }),
    { default: [{ name: 'a', height: 1, old: 'x' }], description: 'Places; found by name' },
  ),
});

const bridge = definePolicy({
  section: 'bridge',
  schema,
  lists: { places: { name: ({ name }) => String(name), either: ['old', 'new'] } },
  contradictions: ({ warn_from, keep_days }) =>
    warn_from * 10 > keep_days ? [['.warn_from', `${warn_from}`, 'less']] : [],
  tables: [
    oneRow('bridge', schema, {
      columns: { places: 'BIGINT', version: 'VARCHAR' },
      rows: ({ places }, { policy_version }) => [{ places: places.length, version: policy_version }],
    }),
  ],
});
const load = (section: unknown) =>
  mergePolicy([bridge], { bridge: section })['bridge'] as typeof bridge.defaults;
const expectedOf = (section: unknown): readonly string[] => {
  try {
    load(section);
  } catch (error) {
    if (error instanceof SettingsError)
      return error.problems.map(({ where, expected }) => `${where}: ${expected}`);
    throw error;
  }
  return [];
};

test('the defaults of all values make the default policy, and cannot be changed', () => {
  expect(bridge.defaults).toEqual({
    warn_from: 0.5,
    keep_days: 7,
    scale: 3,
    nested: { is_open: true, hidden: 1 },
    places: [{ name: 'a', height: 1, old: 'x' }],
  });
  expect(() => Object.assign(bridge.defaults.nested, { is_open: false })).toThrow(TypeError);
});

test('a value without a default is no policy', () => {
  const bare = Strict({ limit: Strict({ low: Type.Number() }) });
  expect(() => definePolicy({ section: 'bare', schema: bare })).toThrow(
    'The policy has no default for .limit.low',
  );
});

test('messages name the limits, or what the schema says is expected', () => {
  expect(
    expectedOf({
      warn_from: 1,
      keep_days: 0.5,
      scale: 2,
      nested: { is_open: 1, hidden: -1 },
      places: [{ name: 'A' }],
    }),
  ).toEqual([
    'policy.bridge.scale: one of warn_from, keep_days, nested, places',
    'policy.bridge.warn_from: a number at least 0, below 1',
    'policy.bridge.keep_days: a whole number, 1 to 30',
    'policy.bridge.nested.is_open: true or false',
    'policy.bridge.nested.hidden: a whole number at least 0',
    'policy.bridge.places.0.name: a name in lower case',
  ]);
  expect(expectedOf({ places: [{ height: 1 }] })).toEqual(['policy.bridge.places.0: also name']);
  expect(expectedOf({ warn_from: 0.9 })).toEqual(['policy.bridge.warn_from: less']);
});

test('an entry inherits what it does not name, and one of alternatives takes the place of the other', () => {
  expect(load({ places: [{ name: 'a', new: 'y' }] }).places).toEqual([{ name: 'a', height: 1, new: 'y' }]);
  expect(load({ places: [{ name: 'b', height: 2 }] }).places).toHaveLength(2);
  expect(expectedOf({ places: [{ name: 'b' }, { name: 'b' }] })).toEqual([
    'policy.bridge.places: one entry each',
  ]);
});

test('the table has a column for each single value, in its unit, and those that are computed', () => {
  const [table] = bridge.tables;
  expect(table?.columns).toEqual([
    { name: 'warn_from', type: 'DOUBLE' },
    { name: 'keep_s', type: 'BIGINT' },
    { name: 'scale', type: 'DOUBLE' },
    { name: 'is_open', type: 'BOOLEAN' },
    { name: 'places', type: 'BIGINT' },
    { name: 'version', type: 'VARCHAR' },
  ]);
  expect(table?.rows(defaultPolicy([bridge]))).toEqual([
    { warn_from: 0.5, keep_s: 604_800, scale: 3, is_open: true, places: 1, version: '1.0.0' },
  ]);
});

test('the documentation has a row for each value that can be configured', () => {
  const rows = describePolicy(schema, 'bridge').map(({ name, type, default: value, limits }) =>
    [name, type, value ?? 'none', limits].join(' | '),
  );
  expect(rows).toEqual([
    'bridge.warn_from | number | 0.5 | a number at least 0, below 1',
    'bridge.keep_days | whole number | 7 | a whole number, 1 to 30',
    'bridge.nested.is_open | boolean | true | true or false',
    'bridge.nested.hidden | whole number | 1 | a whole number at least 0',
    'bridge.places | list | [{"name":"a","height":1,"old":"x"}] | a JSON array',
    'bridge.places[].name | string | none | a name in lower case',
    'bridge.places[].height | number | none | a number at least 0',
    'bridge.places[].old | string | none | a JSON string',
    'bridge.places[].new | string | none | a JSON string',
  ]);
  expect(describePolicy(schema, 'bridge')[1]?.description).toBe('Days kept');
});

test('two definitions may share a section, each with members of its own', () => {
  const one = (name: string): PolicyDefinition =>
    definePolicy({ section: 'shared', schema: Strict({ [name]: Type.Integer({ default: 1 }) }) });
  expect(defaultPolicy([one('a'), one('b')])['shared']).toEqual({ a: 1, b: 1 });
  expect(() => policySchema([one('a'), one('a')])).toThrow(
    'Two definitions of the policy section shared overlap',
  );
});
