// Worlds in which every row of some raw tables is refused: what they would count is unknown, never 0, and the gate names the table. At most
// two tables of a family are refused in one world; REFUSED_TABLES=each takes a world for each table.
import { expect, test, vi } from 'vitest';
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import { domains } from '../../../../jobs/registry.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { type FileRow, openFileWorld } from '../../../support/file-world.ts';
import { FIRST_RUN, rawTables, soundDeliveries } from './demo-deliveries.ts';

vi.setConfig({ testTimeout: 1_800_000 });

/** Figures that are 0 for a reason. */
const ZERO_IS_KNOWN: readonly (readonly [figure: RegExp, because: string])[] = [
  [/^(coverage|coverage-history|manifest-summary|status-history)[ /]/, 'they count what is on record'],
  [/^networks .*\/days$/, 'it counts the days that are published'],
  [
    /^anomaly-watch .*\/baseline_days$/,
    'it counts the days on record, and the gap of the row says that they are too few',
  ],
  [
    /^(exposure-graph|vault-holdings) .*\/known_share$/,
    'it is the share that is known; the rest is an edge to `unknown`',
  ],
];

interface Published {
  readonly figures: ReadonlyMap<string, number | null>;
  /** By dataset, what gate and confidence say. */
  readonly words: ReadonlyMap<string, string>;
}

/** Path of each number and null in a document; elements of lists by their time, where they have one. */
function collect(value: Json, path: string, into: Map<string, number | null>): void {
  if (typeof value === 'number' || value === null) into.set(path, value);
  else if (Array.isArray(value))
    for (const [index, one] of (value as readonly Json[]).entries())
      collect(one, `${path}/${(one as FileRow | null)?.['timestamp'] ?? index}`, into);
  else if (typeof value === 'object')
    for (const [name, one] of Object.entries(value)) collect(one, `${path}/${name}`, into);
}

/** No value of these fields can be read; the subject and other text stay readable. */
const spoilt = (row: FileRow, { fields, time, subject }: RawTable): FileRow => ({
  ...row,
  ...Object.fromEntries(
    fields
      .filter(
        ({ name, type, computed }) => computed === undefined && type !== 'VARCHAR' && !subject.includes(name),
      )
      .map(({ name }) => [name, 'x']),
  ),
  [time]: 'x',
});

async function publishedWithout(refused: readonly string[]): Promise<Published> {
  const world = openFileWorld({ domains });
  try {
    for (const [index, { table, earlier }] of (await soundDeliveries()).entries()) {
      const rows = refused.includes(table.name) ? earlier.map((row) => spoilt(row, table)) : earlier;
      world.write(table.name, { [`${index}.ndjson`]: rows });
    }
    expect(await world.run(FIRST_RUN)).toBe(refused.length === 0 ? 0 : 4);
    const figures = new Map<string, number | null>();
    const ids = Object.keys(world.manifest().datasets);
    for (const id of ids)
      for (const { key, value } of world.documents(id)) collect(value, `${id} ${key}`, figures);
    return { figures, words: new Map(ids.map((id) => [id, world.words(id).join('\n')])) };
  } finally {
    world.remove();
  }
}

/** Each raw table once; no more than two tables of a family together, and those far apart in its list. */
function groups(): readonly (readonly string[])[] {
  const inputs = domains.map(({ raw }) =>
    raw.filter((table: RawTable) => table.isAboutSources !== true).map(({ name }) => name),
  );
  if (process.env['REFUSED_TABLES'] === 'each') return inputs.flat().map((name) => [name]);
  const worlds = Math.ceil(Math.max(...inputs.map((own) => own.length)) / 2);
  return Array.from({ length: worlds }, (_, world) =>
    inputs.flatMap((own) => own.filter((_table, position) => position % worlds === world)),
  );
}

const sound = publishedWithout([]);

test('every raw table that figures count is refused in a world', () => {
  const refused = new Set(groups().flat());
  expect(rawTables.filter(({ isCounted }) => isCounted).every(({ name }) => refused.has(name))).toBe(true);
});

test.each(groups().map((refused) => ({ refused, name: refused.join(', ') })))(
  'no figure is 0 because all rows of $name were refused',
  async ({ refused }) => {
    const before = await sound;
    const after = await publishedWithout(refused);
    const isKnown = (path: string) => ZERO_IS_KNOWN.some(([figure]) => figure.test(path));
    const zeros = [...after.figures].filter(
      ([path, value]) => value === 0 && (before.figures.get(path) ?? 0) !== 0 && !isKnown(path),
    );
    expect(zeros.map(([path]) => path)).toEqual([]);
    const lost = [...after.figures].filter(
      ([path, value]) => value === null && Number.isInteger(before.figures.get(path)),
    );
    const unnamed = new Set(
      lost
        .map(([path]) => path.split(' ')[0] ?? '')
        .filter((id) => !refused.some((name) => after.words.get(id)?.includes(name))),
    );
    expect([...unnamed]).toEqual([]);
  },
);
