// Refuses a delivery in which a column of numbers holds both notations: if one row has `1.234,50`, a `1.234` in another row is more likely
// 1234 than 1.234, and landing either would be a guess.

import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { isAmbiguousSql, isOtherNotationSql, OTHER_NOTATION } from './numbers.ts';
import { type CellRelation, STRUCTURE, selectValues, textName } from './select-rows.ts';

export interface MixedNotationInput {
  readonly table: RawTable;
  readonly mappings: { readonly [field: string]: FieldMapping };
  readonly relation: CellRelation;
  /** What a message names. */
  readonly file: string;
  /** Why rows were refused. */
  readonly reasons: ReadonlySet<string>;
}

/** @throws IngestError with the first such field. Reads the relation again only if a row was refused for its notation. */
export async function refuseMixedNotations(db: DuckDb, input: MixedNotationInput): Promise<void> {
  const { table, mappings, reasons } = input;
  for (const field of deliveredFields(table)) {
    const start = `${field.name}: ${OTHER_NOTATION}`;
    if (mappings[field.name]?.value !== undefined || ![...reasons].some((reason) => reason.startsWith(start)))
      continue;
    await refuseMixed(db, field, input);
  }
}

async function refuseMixed(
  db: DuckDb,
  field: RawField,
  { table, mappings, relation, file }: MixedNotationInput,
): Promise<void> {
  const mapping = mappings[field.name] ?? {};
  const text = textName(field);
  // The value of an amount in whole units depends on the decimals of its row.
  const others =
    mapping.scale === 'decimals' ? deliveredFields(table).filter(({ name }) => name === 'decimals') : [];
  const values = selectValues(relation, mappings, [field, ...others]);
  const good = relation.structure === undefined ? '' : ` where ${STRUCTURE} is null`;
  const isRead = `${isAmbiguousSql(mapping, text)} and ${quoted(field.name)} is not null`;
  const [row] = await db.rows(
    `select min(${text}) filter (where ${isRead}) as ambiguous, min(${text}) filter (where ${isOtherNotationSql(mapping, text)}) as other from (${values})${good}`,
  );
  const { ambiguous, other } = row ?? {};
  if (typeof ambiguous !== 'string' || typeof other !== 'string') return;
  const form = mapping.number === 'european' ? 'thousands' : 'european';
  throw new IngestError(
    'bad_mapping',
    `"${ambiguous}" can be read in two ways, because the column also has "${other}", a number in another notation`,
    {
      file,
      field: field.name,
      todo: `If all of its numbers are written like "${other}", give "number": "${form}" in the mapping of this field. If the column has both notations, convert the file first; nothing of it has landed`,
    },
  );
}
