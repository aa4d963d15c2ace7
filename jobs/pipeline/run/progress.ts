// How far the derived tables are computed and published, and from which instant they are not. Kept in the warehouse beside the rows
// it speaks of, so that a crash between two steps leaves the truth.
import { createHash } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';

export interface Progress {
  /** Logical time up to which derived tables are computed; null when they are not. */
  readonly processedTo: number | null;
  /** Earliest instant among rows that came in since; null when none did. */
  readonly dirtyFrom: number | null;
  /** Whether a version holds what is computed. */
  readonly isPublished: boolean;
}

/** What derived tables follow from beside the rows: the models' text and the policy. When it changes, all is computed again. */
export async function basisOf(engine: Engine, policyRows: unknown): Promise<string> {
  const models = await engine.rows('select name, sql_hash from meta.model order by name');
  return createHash('sha256')
    .update(JSON.stringify([models, policyRows]))
    .digest('hex');
}

export async function readProgress(engine: Engine, basis: string): Promise<Progress> {
  await engine.execute(
    'create table if not exists meta.progress (processed_to bigint, basis varchar, is_published boolean)',
  );
  const [stored] = await engine.rows('select processed_to, basis, is_published from meta.progress');
  const isSame = stored?.['basis'] === basis;
  const [span] = await engine.rows(
    `select min(first_time) as dirty_from from meta.absorbed${isSame ? ' where not is_settled' : ''}`,
  );
  return {
    processedTo: secondsOf(stored?.['processed_to']),
    dirtyFrom: secondsOf(span?.['dirty_from']),
    isPublished: isSame && stored?.['is_published'] === true,
  };
}

const REACH_TABLE = 'create table if not exists meta.reach (reached_to bigint)';

/** Before computing: how far the tables may go from now on, whether or not the run that computes them ends. */
export async function noteReach(engine: Engine, reachedTo: number): Promise<void> {
  if ((await readReach(engine)) === reachedTo) return;
  await engine.transaction(async () => {
    await engine.execute('delete from meta.reach');
    await engine.execute(`insert into meta.reach values (${reachedTo})`);
  });
}

/** Logical time that some table may have reached; null in a warehouse that was never computed. */
export async function readReach(engine: Engine): Promise<number | null> {
  await engine.execute(REACH_TABLE);
  const [row] = await engine.rows('select reached_to from meta.reach');
  return secondsOf(row?.['reached_to']);
}

export interface Settled {
  readonly processedTo: number;
  readonly basis: string;
  readonly isPublished: boolean;
}

/** Records that everything absorbed so far is computed up to `processedTo`. */
export async function settle(engine: Engine, { processedTo, basis, isPublished }: Settled): Promise<void> {
  await engine.transaction(async () => {
    await engine.execute('update meta.absorbed set is_settled = true where not is_settled');
    await engine.execute('delete from meta.progress');
    await engine.execute(`insert into meta.progress values (${processedTo}, '${basis}', ${isPublished})`);
  });
}

const secondsOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
