// One unfit row in every dataset at once: each run publishes all other rows, names what it leaves out, and ends as partly done.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { Dataset } from '../../../../jobs/define/dataset.ts';
import { columnsOf } from '../../../../jobs/define/subject.ts';
import type { Row } from '../../../../jobs/engine/rows.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { domains } from '../../../../jobs/registry.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { Document, Manifest } from '../../../../snapshots/layout.ts';
import { DEMO, DEMO_NOW, demoFolder } from '../../../support/demo-folder.ts';
import { inWorld, publishedManifest } from '../../../support/pipeline-world.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const LATER = { ...DEMO, now: DEMO_NOW + 300 };
const datasets = domains.flatMap((domain): readonly Dataset[] => domain.datasets);

interface Outcome {
  readonly code: number;
  readonly dir: string;
  readonly manifest: Manifest;
  /** Dataset -> its rows as they were read, before any was changed. */
  readonly rows: ReadonlyMap<string, readonly Row[]>;
}

/** `spoil`: changes the rows of a dataset as they are read. */
async function ranWith(spoil: (dataset: Dataset, rows: readonly Row[]) => readonly Row[]): Promise<Outcome> {
  const dir = await demoFolder();
  const rows = new Map<string, readonly Row[]>();
  const code = await inWorld(dir, LATER, (world) => {
    spoilReading(world, (dataset, read) => {
      rows.set(dataset.id, read);
      return spoil(dataset, read);
    });
    return runOnce(world, null);
  });
  return { code, dir, manifest: publishedManifest(dir), rows };
}

function spoilReading(
  { warehouse }: PipelineContext,
  spoil: (dataset: Dataset, rows: readonly Row[]) => readonly Row[],
): void {
  const stream = warehouse.stream.bind(warehouse);
  vi.spyOn(warehouse, 'stream').mockImplementation(async function* (sql) {
    const dataset = datasets.find(({ table }) => sql.startsWith(`select * from ${table} order by`));
    if (dataset === undefined) return yield* stream(sql);
    const all: Row[] = [];
    for await (const rows of stream(sql)) all.push(...rows);
    yield spoil(dataset, all.length > 0 ? all : madeUp(dataset));
  });
}

interface SchemaText {
  readonly type?: string;
  readonly anyOf?: readonly { readonly type?: string }[];
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly properties?: { readonly [name: string]: SchemaText };
}

/** The simplest value that fits: null where it may be. */
function madeUpValue({
  type,
  anyOf = [],
  enum: values = [],
  minimum = 0,
  properties = {},
}: SchemaText): Json {
  if (anyOf.some((one) => one.type === 'null')) return null;
  if (values[0] !== undefined) return values[0];
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, madeUpValue(one)]));
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'string' ? 'x' : minimum;
}

/** Two rows of a dataset without rows in the demo, about different subjects. */
function madeUp(dataset: Dataset): readonly Row[] {
  const named = [...dataset.key, ...Object.values(columnsOf(dataset.subject))];
  return ['a', 'b'].map((value) => ({
    ...(madeUpValue(dataset.row as SchemaText) as Row),
    ...Object.fromEntries(named.map((column) => [column, value])),
  }));
}

/** A member of the published row that must be there, and is no part of what names the row. */
function spoiled(dataset: Dataset, row: Row): Row {
  const named = new Set([
    ...dataset.key,
    ...Object.values(columnsOf(dataset.subject)),
    dataset.day,
    dataset.recordDay,
  ]);
  const { properties } = dataset.row as unknown as { readonly properties: Readonly<Record<string, object>> };
  const column = Object.keys(properties).find((name) => row[name] !== undefined && !named.has(name));
  if (column === undefined) throw new Error(`${dataset.id} has no column to spoil`);
  return { ...row, [column]: { unfit: true } };
}

const documentsOf = ({ dir, manifest }: Outcome, id: string): readonly Document[] =>
  readFileSync(join(dir, `snapshots/datasets/${id}/${manifest.datasets[id]?.sha256}.ndjson`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Document);

/** Which rows are about the same as this one: those of its subject or, without one, only itself. */
function isAlike({ subject }: Dataset, row: Row): (other: Row) => boolean {
  const columns = Object.values(columnsOf(subject));
  return (other) =>
    columns.length === 0 ? other === row : columns.every((column) => other[column] === row[column]);
}

let clean: Outcome;
let unfit: Outcome;
let twice: Outcome;
beforeAll(async () => {
  clean = await ranWith((_, rows) => rows);
  unfit = await ranWith((dataset, [first, ...more]) =>
    first === undefined ? [] : [spoiled(dataset, first), ...more],
  );
  twice = await ranWith((_, rows) => (rows[0] === undefined ? [] : [rows[0], ...rows]));
});
afterAll(() => {
  for (const { dir } of [clean, unfit, twice]) removeFolder(dir);
});

test('a run without unfit rows holds nothing back', () => {
  expect(clean.code).toBe(0);
  expect(clean.manifest).not.toHaveProperty('held_subjects');
});

const rowsOf = ({ value }: Document): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [value];

/** Without the reach of a condition, which follows what is published of others. */
const textOf = (row: Json): string =>
  JSON.stringify(row, (name, value: unknown) => (name === 'reach' ? undefined : value));

describe.each([
  ['an unfit row', () => unfit],
  ['a row that is there twice', () => twice],
])('%s', (_, outcome) => {
  it('ends the run as partly done', () => expect(outcome().code).toBe(4));

  it.each(datasets.map((dataset) => [dataset.id, dataset] as const))(
    'of %s leaves out its subject and no other',
    (id, dataset) => {
      const { manifest } = outcome();
      const all = clean.rows.get(id) ?? [];
      const [first] = all;
      if (first === undefined) throw new Error(`${id} has no rows`);
      const left = all.length - all.filter(isAlike(dataset, first)).length;
      const after = documentsOf(outcome(), id).flatMap(rowsOf);
      const isKept = 'none' in dataset.subject && left === 0;
      const checks = manifest.datasets[id]?.quality_gate.checks;
      expect(checks?.find(({ name }) => name === FITTING)?.verdict).toBe(isKept ? 'fail' : 'warn');
      expect(manifest.held_subjects?.list.some((held) => held.dataset === id)).toBe(true);
      // A total is about no subject, so the last version's stays; conditions are also about gates.
      if (isKept) return expect(after).toHaveLength(1);
      if (id !== 'conditions') expect(after).toHaveLength(left);
      const known = new Set(documentsOf(clean, id).flatMap(rowsOf).map(textOf));
      const isGate = (one: Json) => JSON.stringify(one).includes('"dataset.gate|');
      for (const one of after) if (!isGate(one)) expect(known).toContain(textOf(one));
    },
  );
});

const FITTING = 'rows fit their schema';
