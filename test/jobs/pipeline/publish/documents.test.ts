import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../../jobs/define/dataset.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import type { Row } from '../../../../jobs/engine/rows.ts';
import { readDocuments } from '../../../../jobs/pipeline/publish/documents.ts';
import { Nullable, Strict, Type } from '../../../../schemas/define.ts';
import { domains } from '../../../../jobs/registry.ts';

const dataset = (changes: Partial<Dataset> = {}): Dataset => ({
  id: 'd',
  title: 'D',
  table: 'out.d',
  key: ['provider', 'pair'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  subject: { columns: { provider: 'provider', pair: 'pair' } },
  row: Strict({ day: Type.Integer(), price: Nullable(Type.Number()) }),
  updateCadenceSeconds: 300,
  ...changes,
});

function engineWith(batches: readonly (readonly Row[])[]) {
  const asked: string[] = [];
  const stream = async function* (sql: string) {
    asked.push(sql);
    yield* batches;
  };
  return { asked, engine: { stream } as unknown as DuckDb };
}

const row = (pair: string, day: number, price: number | null | string = 1): Row => ({
  provider: 'p',
  pair,
  day,
  price,
});

describe('documents of a dataset', () => {
  it('are one list per key, across batches, without columns that the schema does not have', async () => {
    const { asked, engine } = engineWith([
      [row('A-B', 2), row('A-B', 1, null)],
      [row('A-B', 0), row('C-D', 2)],
    ]);
    const { documents, unfit } = await readDocuments(engine, dataset());
    expect(documents).toEqual([
      {
        key: 'p/A-B',
        value: [
          { day: 2, price: 1 },
          { day: 1, price: null },
          { day: 0, price: 1 },
        ],
      },
      { key: 'p/C-D', value: [{ day: 2, price: 1 }] },
    ]);
    expect(unfit).toEqual([]);
    expect(asked).toEqual(['select * from out.d order by provider, pair, day desc']);
  });

  it('are one per row for the other shape', async () => {
    const { asked, engine } = engineWith([[row('A-B', 2)]]);
    const { documents } = await readDocuments(engine, dataset({ shape: 'one', order: '' }));
    expect(documents).toEqual([{ key: 'p/A-B', value: { day: 2, price: 1 } }]);
    expect(asked).toEqual(['select * from out.d order by provider, pair']);
  });

  it('name the rows that do not fit the schema', async () => {
    const { engine } = engineWith([[row('A-B', 2, 'dear'), row('C-D', 1)]]);
    const { unfit } = await readDocuments(engine, dataset());
    expect(unfit).toEqual([{ key: 'p/A-B', subject: 'p A-B', problem: expect.stringContaining('/price') }]);
  });

  it('assemble an object from the columns of its members if it has no column itself', async () => {
    const { engine } = engineWith([
      [{ provider: 'p', pair: 'A-B', min: 1, tags: ['x'], whole: { a: 1, b: 2 }, at: 5 }],
    ]);
    const stats = Strict({ inner: Strict({ min: Type.Number() }), tags: Type.Array(Type.String()) });
    const whole = Strict({ a: Type.Number(), b: Type.Number() });
    const { documents, unfit } = await readDocuments(
      engine,
      dataset({ shape: 'one', order: '', row: Strict({ at: Type.Integer(), stats, whole }) }),
    );
    const value = { at: 5, stats: { inner: { min: 1 }, tags: ['x'] }, whole: { a: 1, b: 2 } };
    expect(documents).toEqual([{ key: 'p/A-B', value }]);
    expect(unfit).toEqual([]);
  });

  it('distinguish members of an object from columns of the same name by the name of the object', async () => {
    const { engine } = engineWith([[{ provider: 'p', pair: 'A-B', min: 1, stats_min: 2, stats_max: null }]]);
    const stats = Strict({ min: Type.Number(), max: Nullable(Type.Number()) });
    const { documents } = await readDocuments(
      engine,
      dataset({ shape: 'one', order: '', row: Strict({ min: Type.Number(), stats }) }),
    );
    expect(documents).toEqual([{ key: 'p/A-B', value: { min: 1, stats: { min: 2, max: null } } }]);
  });

  it('say which member of such an object has no column', async () => {
    const { engine } = engineWith([[{ provider: 'p', pair: 'A-B', min: 1 }]]);
    const stats = Strict({ min: Type.Number(), max: Type.Number() });
    const { unfit } = await readDocuments(engine, dataset({ row: Strict({ stats }) }));
    expect(unfit).toEqual([{ key: 'p/A-B', subject: 'p A-B', problem: expect.stringContaining('max') }]);
  });

  it('leave out a row whose key column holds nothing, and no other', async () => {
    const { engine } = engineWith([[{ ...row('A-B', 2), pair: null }, row('C-D', 2)]]);
    const { documents, unfit } = await readDocuments(engine, dataset());
    expect(documents).toEqual([{ key: 'p/C-D', value: [{ day: 2, price: 1 }] }]);
    expect(unfit).toMatchObject([{ problem: expect.stringContaining('pair is part of a document') }]);
  });

  it('leave out all rows of a subject with an unfit row, and no others', async () => {
    const { engine } = engineWith([[row('A-B', 2), row('A-B', 1, 'dear'), row('C-D', 2)]]);
    const { documents } = await readDocuments(engine, dataset());
    expect(documents).toEqual([{ key: 'p/C-D', value: [{ day: 2, price: 1 }] }]);
  });

  it.each(['one', 'list'] as const)('leave out both of two rows with one key: %s', async (shape) => {
    const { engine } = engineWith([[row('A-B', 2, 1), row('A-B', 2, 3), row('C-D', 2)]]);
    const { documents, unfit } = await readDocuments(
      engine,
      dataset({ shape, order: shape === 'one' ? '' : 'day desc' }),
    );
    expect(documents.map(({ key }) => key)).toEqual(['p/C-D']);
    expect(unfit).toEqual([{ key: 'p/A-B', subject: 'p A-B', problem: 'another row has the same key' }]);
  });

  it('leave out only the unfit row if its dataset is about no subject', async () => {
    const { engine } = engineWith([[row('A-B', 2), row('A-B', 1, 'dear')]]);
    const { documents, unfit } = await readDocuments(engine, dataset({ subject: { none: 'a total' } }));
    expect(documents).toEqual([{ key: 'p/A-B', value: [{ day: 2, price: 1 }] }]);
    expect(unfit).toMatchObject([{ key: 'p/A-B', subject: null }]);
  });
});

describe('what a row shows of other subjects', () => {
  const peers = Type.Array(Strict({ pair: Type.String(), price: Nullable(Type.Number()) }));
  const listing = dataset({
    shape: 'one',
    order: '',
    peers: 'others',
    row: Strict({ price: Nullable(Type.Number()), others: peers }),
  });
  const shown = (pair: string, price: number | string) => ({ pair, price });
  const withPeers = (pair: string, price: number | string, others: readonly ReturnType<typeof shown>[]) => ({
    provider: 'p',
    pair,
    price,
    others,
  });
  const rows = (priceOfC: number | string) => [
    withPeers('A', 1, [shown('B', 2), shown('C', 3)]),
    withPeers('B', 2, [shown('A', 1), shown('C', 3)]),
    withPeers('C', priceOfC, [shown('A', 1), shown('B', 2)]),
  ];
  const others = { 'p/A': [shown('B', 2)], 'p/B': [shown('A', 1)] };
  const othersOf = (documents: readonly { readonly key: string; readonly value: unknown }[]) =>
    Object.fromEntries(documents.map(({ key, value }) => [key, (value as { others: unknown }).others]));

  it('is left out while they are held back', async () => {
    const { engine } = engineWith([rows(3)]);
    const { documents } = await readDocuments(engine, listing, ({ pair }) => pair === 'C');
    expect(othersOf(documents)).toEqual(others);
  });

  it('is left out while their own rows are unfit', async () => {
    const { engine } = engineWith([rows('dear')]);
    const { documents } = await readDocuments(engine, listing);
    expect(othersOf(documents)).toEqual(others);
  });

  it('is shown otherwise', async () => {
    const { engine } = engineWith([rows(3)]);
    const { documents } = await readDocuments(engine, listing, ({ pair }) => pair === 'D');
    expect(othersOf(documents)['p/A']).toEqual([shown('B', 2), shown('C', 3)]);
  });

  it('is declared by every dataset that has it', () => {
    const undeclared = domains
      .flatMap(({ datasets }) => datasets)
      .flatMap((one) =>
        listsOfSubjects(one)
          .filter((name) => name !== one.peers)
          .map((name) => `${one.id}.${name}`),
      );
    expect(undeclared).toEqual([]);
  });
});

/** Columns of a dataset whose entries name a subject of it by a column of their own. */
function listsOfSubjects({ subject, row }: Dataset): readonly string[] {
  const own = 'columns' in subject ? Object.values(subject.columns).slice(1) : [];
  const { properties = {} } = row as { readonly properties?: { readonly [name: string]: ListSchema } };
  return Object.entries(properties).flatMap(([name, schema]) =>
    own.some((column) => schema.items?.properties?.[String(column)] !== undefined) ? [name] : [],
  );
}

interface ListSchema {
  readonly items?: { readonly properties?: { readonly [name: string]: unknown } };
}
