// A small world of every family: what the demo world delivers, cut down to a few subjects per raw table and a few dozen rows per subject.
import { deliveredFields, type RawTable } from '../../../../jobs/define/raw-table.ts';
import type { ColumnsDelivery } from '../../../../jobs/define/source.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { columnsRelation } from '../../../../jobs/ingest/read/read-columns.ts';
import { domains } from '../../../../jobs/registry.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import type { SubjectRows } from './subject-rows.ts';
import { undemonstrated } from './undemonstrated-tables.ts';

/** The instants of the two runs, Unix seconds. */
export const FIRST_RUN = Date.UTC(2026, 2, 9, 9) / 1000;
export const SECOND_RUN = FIRST_RUN + 6 * 3_600;

const SETTINGS = { seed: 1, feeds: 40, days: 4, incidents: true, startedAt: FIRST_RUN };
const SUBJECTS = 5;
const EARLIER_ROWS = 24;
const LATER_ROWS = 8;

export const rawTables: readonly RawTable[] = domains.flatMap(({ raw }): readonly RawTable[] => raw);

let known: Promise<readonly SubjectRows[]> | undefined;

/** The subjects of all raw tables, always in the same order. */
export function soundDeliveries(): Promise<readonly SubjectRows[]> {
  known ??= demoDeliveries();
  return known;
}

async function demoDeliveries(): Promise<readonly SubjectRows[]> {
  const db = await openScratchEngine();
  try {
    const found: SubjectRows[] = [];
    const sources = domains.flatMap((domain) => ('demo' in domain ? domain.demo(SETTINGS) : []));
    for (const { table: name, deliveries } of sources) {
      const table = rawTables.find((one) => one.name === name);
      if (table === undefined) throw new Error(`there is no raw table ${name}`);
      for await (const delivery of deliveries({ from: -1, to: SECOND_RUN }))
        if (delivery.kind === 'columns') found.push(...(await subjectsOf(db, table, delivery)));
    }
    return [...found, ...undemonstrated(rawTables, { first: FIRST_RUN, second: SECOND_RUN })];
  } finally {
    await db.close();
  }
}

async function subjectsOf(
  db: DuckDb,
  table: RawTable,
  delivery: ColumnsDelivery,
): Promise<readonly SubjectRows[]> {
  const relation = await columnsRelation(db, table, delivery);
  try {
    const described = await db.rows(`describe select * from ${relation.from}`);
    const present = new Set(described.map((row) => String(row['column_name'])));
    const rows = await db.rows(rowsSql(table, relation.from, present));
    const named = table.subject.map((_, index) => `subject_${index}`);
    const groups = Map.groupBy(rows, (row) => JSON.stringify(named.map((name) => row[name])));
    return [...groups.values()].map((own) => {
      const texts = own.map((row) => row as { readonly [name: string]: Json });
      const deliveredRows = (isLater: boolean) =>
        texts
          .filter((row) => row['is_later'] === isLater)
          .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => present.has(name))));
      const subject = table.subject.map(
        (field, index) => [field, String(texts[0]?.[named[index] ?? ''])] as const,
      );
      return { table, subject: new Map(subject), earlier: deliveredRows(false), later: deliveredRows(true) };
    });
  } finally {
    await relation.dispose();
  }
}

/** The last rows before each run, of the first subjects by name. Numbers come as JSON numbers, exact amounts as texts. */
function rowsSql(
  { fields, subject, time, ...table }: RawTable,
  from: string,
  present: ReadonlySet<string>,
): string {
  const delivered = deliveredFields({ fields, subject, time, ...table }).filter(({ name }) =>
    present.has(name),
  );
  const values = delivered.map(({ name, type }) => `try_cast(${name} as ${type}) as ${name}`);
  // The demo world has scripted faults.
  const isReadable = delivered
    .filter(({ amount }) => amount !== undefined)
    .map(({ name }) => `(${name} is null or try_cast(${name} as double) is not null)`);
  const absent = fields
    .filter(({ name, computed }) => computed === undefined && !present.has(name))
    .map(({ name, type }) => `cast(null as ${type}) as ${name}`);
  const needed = fields
    .filter(({ name, computed }) => computed !== undefined && [...subject, time].includes(name))
    .map(({ name, computed }) => `(${computed}) as ${name}`);
  const shown = delivered.map(({ name, type }) =>
    type === 'BIGINT' ? `cast(${name} as double) as ${name}` : name,
  );
  const names = subject.map((field, index) => `cast(${field} as varchar) as subject_${index}`);
  return `select ${[...shown, ...names, 'is_later'].join(', ')} from (
      select *, row_number() over (partition by ${subject.join(', ')}, is_later order by ${time} desc, ${delivered[0]?.name}) as place,
        dense_rank() over (order by ${subject.join(', ')}) as rank
      from (select *, ${[...needed, `${time} > ${FIRST_RUN} as is_later`].join(', ')}
        from (select ${[...values, ...absent].join(', ')} from ${from}))
      where ${isReadable.join(' and ') || 'true'})
    where rank <= ${SUBJECTS} and place <= case when is_later then ${LATER_ROWS} else ${EARLIER_ROWS} end
    order by rank, ${time}`;
}
