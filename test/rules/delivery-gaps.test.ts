// Which models may read what was not delivered: a gap can begin and end for days that other kinds do not compute again.
import { expect, test } from 'vitest';
import type { RawTable } from '../../jobs/define/raw-table.ts';
import { domains } from '../../jobs/registry.ts';
import { modelsOf } from '../support/case-duckdb.ts';

const GAPS = 'policy.delivery_gap';

test('only models that are computed as a whole read what was not delivered', async () => {
  const { models, events } = await modelsOf(domains);
  const readers = models.filter(({ reads }) => reads.includes(GAPS));
  expect(readers.length).toBeGreaterThan(0);
  expect(readers.filter(({ kind }) => kind !== 'full' && kind !== 'view').map(({ name }) => name)).toEqual(
    [],
  );
  expect(events.filter(({ reads }) => reads.includes(GAPS)).map(({ type }) => type)).toEqual([]);
});

test('every counted raw table is one that such a model asks about', async () => {
  const { models } = await modelsOf(domains);
  const texts = models.filter(({ reads }) => reads.includes(GAPS)).map(({ sql }) => sql);
  const counted = domains.flatMap(({ raw }): readonly RawTable[] => raw).filter(({ isCounted }) => isCounted);
  const isAsked = ({ name }: RawTable) => texts.some((sql) => sql.includes(`'${name}'`));
  expect(counted.filter((table) => !isAsked(table)).map(({ name }) => name)).toEqual([]);
  const asked = texts.flatMap((sql) =>
    [...sql.matchAll(/delivery_gap\s+where table_name (?:= |in \()([^)\n]*)/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name),
    ),
  );
  const names = new Set(counted.map(({ name }) => name));
  expect(asked.filter((name) => name === undefined || !names.has(name))).toEqual([]);
});
