// Migrates the tables of a store to the step this version of the service expects: numbered SQL files, each applied once, all in one
// transaction. When several processes start at once, one migrates and the others wait.
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { DatabaseRefusedError } from './pg-faults.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const NAME = /^p(\d{3})-[a-z0-9-]+\.sql$/;
const BEGIN = `begin; select pg_advisory_xact_lock(hashtextextended(current_schema() || ' writer', 0))`;

/** The SQL of step n is at index n − 1. @throws when a number is missing or used twice. */
export function pgMigrationSteps(): readonly string[] {
  const names = readdirSync(FOLDER).sort();
  return names.map((name, index) => {
    if (Number(NAME.exec(name)?.[1]) !== index + 1)
      throw new Error(`migrations/${name}: expected p${String(index + 1).padStart(3, '0')}-<what>.sql here.`);
    return readFileSync(new URL(name, FOLDER), 'utf8');
  });
}

/** Resolves to the newest step that was applied before. @throws DatabaseRefusedError when the schema holds foreign tables or is from a newer version. */
export async function pgMigrate(
  client: pg.ClientBase,
  database: string,
  steps: readonly string[],
): Promise<number> {
  if ((await stepOf(client, database, steps.length)) === steps.length) return steps.length;
  await client.query(BEGIN);
  try {
    const from = await stepOf(client, database, steps.length);
    if (from === 0)
      await client.query('create table store_step (step bigint not null); insert into store_step values (0)');
    for (const step of steps.slice(from)) await client.query(step);
    await client.query('update store_step set step = $1', [steps.length]);
    await client.query('commit');
    return from;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function stepOf(client: pg.ClientBase, database: string, known: number): Promise<number> {
  const { rows } = await client.query(
    `select current_schema() as schema, to_regclass('store_step') is not null as is_ours,
       exists (select 1 from pg_class where relkind = 'r' and relnamespace = to_regnamespace(current_schema())) as is_used`,
  );
  const { schema, is_ours, is_used } = rows[0] ?? {};
  if (schema === null) throw new DatabaseRefusedError(`The store ${database} has no usable schema.`);
  if (is_ours !== true) {
    if (is_used === true)
      throw new DatabaseRefusedError(
        `${database} holds tables of something else. Name an empty database or schema.`,
      );
    return 0;
  }
  const step = Number((await client.query('select step from store_step')).rows[0]?.step);
  if (step > known)
    throw new DatabaseRefusedError(
      `The store ${database} has format ${step}, written by a newer version of this service; this one knows formats up to ${known}. Nothing was changed. Use the version that wrote it, or a later one.`,
    );
  return step;
}
