import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../../schemas/errors.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { extensibleResponses, openApiDocument, yamlOf } from '../../../server/openapi/document.ts';
import { generatedFiles } from '../../../server/openapi/generated-files.ts';
import type { Operation, Parameter, Response } from '../../../server/openapi/model.ts';
import { exampleOfParameter, isInline } from '../../../server/web/request-samples.ts';

const document = openApiDocument(ENDPOINTS);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
);
const operationAt = (path: string, method: 'get' | 'post' = 'get') => document.paths[path]?.[method];

test.each([...generatedFiles()])('%s matches the endpoints (`npm run openapi` writes it)', (path, text) => {
  const committed = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  expect(committed === text, `${path} is out of date: run npm run openapi`).toBe(true);
});

test('the YAML and the JSON of the document are equal', () => {
  const yaml = generatedFiles().get('server/openapi/openapi-public.yaml') ?? '';
  expect(parse(yaml)).toEqual(JSON.parse(JSON.stringify(extensibleResponses(document))));
});

test('every endpoint is in the document, with its parameters', () => {
  for (const { path, method, params, query } of ENDPOINTS) {
    const pattern = new RegExp(
      `^${path.replace(/:[a-z0-9_]+/g, '\\{[a-z0-9_]+\\}').replaceAll('.', '\\.')}$`,
    );
    const found = operations.find((one) => pattern.test(one.path) && one.method === method.toLowerCase());
    expect(found, `${method} ${path}`).toBeDefined();
    const names = found?.operation.parameters?.flatMap((one) => ('name' in one ? one.name : [])) ?? [];
    expect(names).toEqual(expect.arrayContaining(Object.keys(query.properties)));
    expect(found?.path.match(/\{/g)?.length ?? 0).toBe(Object.keys(params.properties).length);
  }
});

test('operation ids are unique names, and every operation has a group', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  expect(operations.filter(({ operation }) => operation.tags[0] === 'Other')).toEqual([]);
});

test('every error of every operation is in the catalogue, with an example of its form', () => {
  for (const { operation } of operations) {
    const examples = Object.values(operation.responses).flatMap((answer) => {
      const response = '$ref' in answer ? responseNamed(answer.$ref) : answer;
      return Object.keys(response?.content?.['application/json']?.examples ?? {});
    });
    expect(new Set(examples)).toEqual(new Set(operation['x-error-codes']));
    for (const code of operation['x-error-codes']) expect(Object.keys(ERRORS)).toContain(code);
  }
});

const responseNamed = (ref: string): Response | undefined =>
  document.components.responses[ref.split('/').at(-1) ?? ''];

test('an open operation requires no key, a gated one its plan and scope', () => {
  expect(operationAt('/v2/data-manifest')).toMatchObject({
    security: [{}, { ApiKey: [] }],
    'x-required-plan': null,
    'x-required-scope': null,
  });
  const coverage = operationAt('/v2/data-manifest/coverage');
  expect(coverage).toMatchObject({
    operationId: 'getV2DataManifestCoverage',
    security: [{ ApiKey: [] }],
    'x-required-plan': 'team',
    'x-required-scope': 'manifest:read',
  });
  expect(Object.keys(coverage?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '304', '400', '401', '402', '403', '429', '500', '503']),
  );
});

test('replay documents flat errors, except for callers that are not admitted, and restaking an internal error with 505', () => {
  const schemaOf = (status: string) => {
    const response = operationAt('/v2/events/replay')?.responses[status];
    return (
      response && '$ref' in response && responseNamed(response.$ref)?.content?.['application/json']?.schema
    );
  };
  expect(schemaOf('400')).toEqual({ $ref: '#/components/schemas/FlatError' });
  expect(schemaOf('503')).toEqual({ $ref: '#/components/schemas/FlatError' });
  expect(schemaOf('401')).toEqual({ $ref: '#/components/schemas/StandardError' });
  const statuses = Object.keys(operationAt('/data/restaking')?.responses ?? {});
  expect([statuses.includes('505'), statuses.includes('500')]).toEqual([true, false]);
});

test('paths that differ only in a parameter name are one operation', () => {
  const merged = operationAt('/data/blockchain/{layer2_or_network}');
  expect(merged?.responses['200']).toMatchObject({
    content: {
      'application/json': {
        schema: {
          anyOf: [
            { properties: { data: { items: { $ref: '#/components/schemas/Layer2Statistic' } } } },
            { properties: { data: { items: { $ref: '#/components/schemas/NetworkBStatistics' } } } },
          ],
        },
      },
    },
  });
});

test('every event type is a webhook with the envelope and its own data', () => {
  expect(Object.keys(document['x-webhooks'])).toEqual(EVENT_TYPES);
  expect(document['x-webhooks']['oracle.stale']).toMatchObject({
    post: {
      requestBody: {
        content: {
          'application/json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Event' },
                {
                  properties: {
                    type: { enum: ['oracle.stale'] },
                    data: { $ref: '#/components/schemas/OracleStaleData' },
                  },
                },
              ],
            },
          },
        },
      },
    },
  });
});

test('every schema file that exports a schema is used as a source of names', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const asked = read('server/openapi/named-schemas.ts') + read('schemas/families.ts');
  const folder = new URL('../../../schemas/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const naming = files.filter((file) => /^export const \w+Schema\b/m.test(read(`schemas/${file}`)));
  expect(naming.length).toBeGreaterThan(10);
  expect(naming.filter((file) => !new RegExp(`'(../../schemas|.)/${file}'`).test(asked))).toEqual([]);
});

test('every parameter is described, and every path parameter has an example', () => {
  const { parameters: shared = {}, schemas } = document.components;
  const found = operations.flatMap(({ path, operation: { parameters = [] } }) =>
    parameters.filter(isInline).map((parameter) => ({ at: `${path} ${parameter.name}`, parameter })),
  );
  expect(found.length).toBeGreaterThan(100);
  const all = [...found, ...Object.entries(shared).map(([at, parameter]) => ({ at, parameter }))];
  expect(all.filter(({ parameter }) => !parameter.description).map(({ at }) => at)).toEqual([]);
  const isPlain = (parameter: Parameter) => exampleOfParameter(parameter, schemas) === 'text';
  const inPath = found.filter(({ parameter }) => parameter.in === 'path');
  expect(inPath.filter(({ parameter }) => isPlain(parameter)).map(({ at }) => at)).toEqual([]);
});

test('nothing in the document is unused, and nothing it refers to is missing', () => {
  const text = JSON.stringify(document);
  for (const [kind, named] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(named)) expect(text).toContain(`"#/components/${kind}/${name}"`);
  }
});

test('the published document leaves responses open to further members, and request bodies closed', () => {
  const published = extensibleResponses(document);
  const closed = (value: unknown) => JSON.stringify(value).includes('"additionalProperties":false');
  expect(closed(document.components.schemas['Event'])).toBe(true);
  expect(closed(published.components.responses)).toBe(false);
  expect(closed(published.components.schemas['Event'])).toBe(false);
  for (const [path, item] of Object.entries(published.paths))
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      expect([path, method, closed(operation.responses)]).toEqual([path, method, false]);
      const body = JSON.stringify(operation.requestBody ?? {});
      for (const [, name = ''] of body.matchAll(/#\/components\/schemas\/(\w+)/g))
        expect(published.components.schemas[name]).toEqual(document.components.schemas[name]);
      const strict = (document.paths[path] as unknown as Record<string, Operation>)[method]?.requestBody;
      expect(operation.requestBody).toEqual(strict);
    }
});

test('a reader of YAML 1.1 reads the same document', () => {
  const text = yamlOf(document);
  expect(parse(text, { version: '1.1' })).toEqual(parse(text));
});
