// The descriptions of the data for other tools: every readable dataset with its files, units, licences and hashes, and nothing that the
// caller may not read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { Nullable, Strict, Type } from '../../../schemas/define.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const row = Strict({
  price_usd: Nullable(Type.Number({ description: 'Last price' })),
  age_s: Type.Integer({ description: 'Age' }),
  market_hours: Type.String({ description: 'When the market is open' }),
  state: Type.Enum(['on', 'off'], { description: 'State' }),
  seen_at: Nullable(Type.String({ description: 'Last seen', format: 'date-time' })),
  range: Strict({ min: Type.Number(), max: Type.Number() }),
  doubts: Type.Array(Type.String(), { description: 'Doubts' }),
});
const table: TableInfo = {
  title: 'Pegs',
  key: ['chain'],
  separator: '/',
  shape: 'one',
  row: row as unknown as Json,
};
const PARQUET = Buffer.from('PAR1 pegs');
const value = {
  price_usd: 1,
  age_s: 2,
  market_hours: 'crypto',
  state: 'on',
  seen_at: AS_OF,
  range: { min: 0, max: 1 },
  doubts: [],
};

let fixture: ServerFixture;
let server: RunningServer;
let version: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const published = { table, rows: 1, parquet: async () => PARQUET };
  const pegs = datasetOf('pegs', [{ key: 'ethereum', value }], AS_OF, published);
  const [source] = pegs.sources;
  const sources =
    source === undefined
      ? []
      : ['CC-BY-4.0', 'CC-BY-4.0', 'facts', null].map((license, n) => ({
          ...source,
          name: `Source ${Math.max(1, n)}`,
          license,
        }));
  version = await fixture.publish([
    ...fixtureDatasets().filter(({ id }) => id !== 'pegs'),
    { ...pegs, sources },
    datasetOf('exit-inputs', [{ key: 'ethereum', value }], AS_OF, published),
  ]);
  server = await fixture.serve({ anonymousPlan: null, docsUrl: 'https://risk.example' });
});
afterAll(() => fixture.remove());

const get = async <T>(target: string) => {
  const answer = await fetch(server.url + target);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  return (await answer.json()) as T;
};

interface Package {
  readonly version: string;
  readonly resources: readonly {
    readonly name: string;
    readonly path: string;
    readonly schema?: { readonly fields: readonly object[] };
  }[];
}

const FIELDS = [
  { name: 'chain', type: 'string', description: "Part of the row's key" },
  { name: 'price_usd', type: 'number', description: 'Last price', unit: 'USD' },
  { name: 'age_s', type: 'integer', description: 'Age', unit: 'seconds' },
  { name: 'market_hours', type: 'string', description: 'When the market is open' },
  { name: 'state', type: 'string', description: 'State', constraints: { enum: ['on', 'off'] } },
  { name: 'seen_at', type: 'datetime', description: 'Last seen' },
  { name: 'range', type: 'object', description: 'With the members min, max' },
  { name: 'doubts', type: 'array', description: 'Doubts' },
];

test('a Data Package has a table and a file of each open dataset', async () => {
  const { version: of, resources } = await get<Package>('/datapackage.json');
  expect(of).toBe(version);
  expect(resources).toEqual([
    {
      name: 'pegs',
      title: 'Pegs',
      type: 'table',
      path: 'v2/datasets/pegs.csv',
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      schema: {
        missingValues: [''],
        fields: FIELDS,
      },
      licenses: [{ name: 'CC-BY-4.0' }],
      sources: [
        { title: 'Source 1', license: 'CC-BY-4.0' },
        { title: 'Source 2', license: 'facts' },
        { title: 'Source 3', license: null },
      ],
      rows: 1,
      version,
      computed_at: AS_OF,
      update_cadence_seconds: 300,
      quality_gate: 'pass',
    },
    {
      name: 'pegs-parquet',
      title: 'Pegs, as Parquet',
      type: 'file',
      path: 'v2/datasets/pegs.parquet',
      format: 'parquet',
      mediatype: 'application/vnd.apache.parquet',
      bytes: PARQUET.length,
      hash: `sha256:${sha256Hex(PARQUET)}`,
    },
  ]);
});

test('its paths lead to files, of the version that was asked for', async () => {
  const named = await get<Package>(`/datapackage.json?version=${version}`);
  expect(named.resources.map(({ path }) => path)).toEqual([
    `v2/datasets/pegs.csv?version=${version}`,
    `v2/datasets/pegs.parquet?version=${version}`,
  ]);
  for (const { path } of named.resources) {
    const answer = await fetch(`${server.url}/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  }
  expect((await fetch(`${server.url}/datapackage.json?version=01HZX3K9Q4T2V7B8N6M5P1R0SD`)).status).toBe(404);
});

test('Croissant has the files with their hashes, and the columns in them', async () => {
  const { distribution, recordSet, license, ...rest } =
    await get<Readonly<Record<string, unknown>>>('/croissant.json');
  expect(rest).toMatchObject({
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    version: `1.0.0+${version}`,
    url: 'https://risk.example/datasets',
  });
  expect(license).toEqual(['CC-BY-4.0', 'facts']);
  expect(distribution).toMatchObject([
    {
      '@id': 'pegs.parquet',
      contentUrl: 'https://risk.example/v2/datasets/pegs.parquet',
      contentSize: `${PARQUET.length} B`,
      sha256: sha256Hex(PARQUET),
    },
  ]);
  const fields = (recordSet as readonly { readonly field: readonly object[] }[])[0]?.field;
  // Without the struct.
  expect(fields).toHaveLength(7);
  expect(fields?.[1]).toEqual({
    '@type': 'cr:Field',
    '@id': 'pegs/price_usd',
    name: 'price_usd',
    description: 'Last price. Unit: USD',
    dataType: 'sc:Float',
    source: { fileObject: { '@id': 'pegs.parquet' }, extract: { column: 'price_usd' } },
  });
  expect(fields?.at(-1)).toMatchObject({ dataType: 'sc:Text', repeated: true });
});

test('a key adds the datasets that it may read', async () => {
  const key = await fixture.key('enterprise');
  const keyed = await fixture.serve({ anonymousPlan: null });
  const answer = await fetch(`${keyed.url}/datapackage.json`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { resources } = (await answer.json()) as Package;
  expect(resources.map(({ name }) => name)).toContain('exit-inputs');
  expect([answer.headers.get('cache-control')?.split(',')[0], answer.headers.get('vary')]).toEqual([
    'private',
    expect.stringContaining('Authorization'),
  ]);
});
