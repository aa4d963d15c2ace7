// Names that every JavaScript object inherits, and texts made of several, in every parameter of every endpoint and in every argument of every
// tool: they name nothing, so nothing is found by them, and nothing fails inside.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, pathOf } from '../../../server/define/endpoint.ts';
import { listsOf } from '../../../server/define/list-shape.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { modern } from '../mcp/mcp-client.ts';
import { datasetOf, eventCandidate, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { raw } from './raw-http.ts';

const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
/** Alone, and as each part of the compound names of subjects, keys, files and sort orders. */
const FORMS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `${name}:pegs:USDC`,
  (name) => `peg:${name}:${name}`,
  (name) => `dataset:${name}`,
  (name) => `${name}|${name}`,
  (name) => `${name}.svg`,
  (name) => `${name}.json`,
  (name) => `-${name}`,
];
const VALUES = INHERITED.flatMap((name) => FORMS.map((form) => form(name)));

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(0), eventCandidate(1)]);
  // All datasets are published: without one its endpoints are unavailable, and look nothing up.
  const given = fixtureDatasets();
  const named = [
    ...ENDPOINTS.flatMap(({ datasets = [] }) => datasets),
    ...listsOf(ENDPOINTS).map(({ dataset }) => dataset),
  ];
  const others = new Set(named).difference(new Set(given.map(({ id }) => id)));
  await fixture.publish([...given, ...[...others].map((id) => datasetOf(id, []))]);
  key = await fixture.key('enterprise');
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(() => fixture.remove());

const READS = ENDPOINTS.filter(({ method }) => method === 'GET');
const usualParams = (endpoint: Endpoint) =>
  Object.fromEntries(Object.keys(endpoint.params.properties).map((name) => [name, 'nothing']));

function pathsOf(endpoint: Endpoint, value: string): readonly string[] {
  const params = usualParams(endpoint);
  const path = pathOf(endpoint, params);
  return [
    ...Object.keys(params).map((name) => pathOf(endpoint, { ...params, [name]: value })),
    ...[...Object.keys(endpoint.query.properties), value].map(
      (name) => `${path}?${new URLSearchParams({ [name]: value })}`,
    ),
  ];
}

const value = fc.constantFrom(...VALUES);
const target = fc
  .constantFrom(...READS)
  .chain((endpoint) => value.chain((name) => fc.constantFrom(...pathsOf(endpoint, name))));
const toolCall = fc.constantFrom(...TOOLS).chain(({ name, input }) =>
  fc.record({
    name: fc.constant(name),
    argument: fc.constantFrom(...Object.keys(input.properties)),
    value,
  }),
);

test('no parameter of an endpoint finds what objects inherit', async () => {
  const headers = { Authorization: `Bearer ${key}` };
  await fc.assert(
    fc.asyncProperty(target, async (path) => {
      const { status } = await raw(server.url, path, headers);
      expect(status, path).toBeLessThan(500);
    }),
    { numRuns: COUNTS.inheritedNames },
  );
});

test('no argument of a tool finds what objects inherit', async () => {
  await fc.assert(
    fc.asyncProperty(toolCall, async ({ name, argument, value: given }) => {
      const call = { name, arguments: { [argument]: given } };
      const answer = await modern(server, 'tools/call', call, { key });
      expect(answer.status).toBeLessThan(500);
      expect(await answer.text()).not.toContain('internal_error');
    }),
    { numRuns: COUNTS.inheritedNames },
  );
});

test('a name that objects inherit is no kind of subject of a feed', async () => {
  for (const name of INHERITED) {
    const subject = `${name}:yield-opportunities:some-key`;
    const { status, body } = await raw(server.url, `/feeds/events.json?${new URLSearchParams({ subject })}`);
    expect([subject, status]).toEqual([subject, 400]);
    expect(body.toString()).toContain('begins with none of');
  }
});
