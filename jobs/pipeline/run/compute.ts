// Takes landed rows into the warehouse and computes what follows from them.
import { basename } from 'node:path';
import type { Row } from '../../engine/engine.ts';
import { LandingError } from '../../ingest/errors.ts';
import type { LandedFiles } from '../../ingest/receipts/read-landing.ts';
import { literal } from '../../engine/sql-text.ts';
import { absorb, materialize, notAbsorbed } from '../models/materialize.ts';
import type { Model } from '../models/model.ts';
import type { Parameters } from '../models/model-text.ts';
import type { World } from '../context.ts';

export type AbsorbingWorld = Pick<World, 'engine' | 'models' | 'domains'> & { readonly landing: LandedFiles };

const NO_TIME: Parameters = { start: 0, end: 0, now: 0 };

/** Adds every landed file that the warehouse does not have yet. Answers how many rows came in. */
export async function absorbLanded(world: AbsorbingWorld): Promise<number> {
  let rows = 0;
  await refuseUnknown(world);
  for (const raw of world.domains.flatMap((domain) => domain.raw)) {
    const model = world.models.models.find(({ name }) => name === raw.kept.model);
    if (model === undefined)
      throw new Error(`raw table ${raw.name}: there is no model ${raw.kept.model} that keeps its rows`);
    const files = world.landing.files(raw.name);
    await adoptCompacted(world, model, raw.name);
    const absorbed = await absorb(world.engine, model, {
      raw,
      files,
      parameters: NO_TIME,
      landing: world.landing,
    });
    rows += absorbed.rows;
  }
  return rows;
}

/** Rows whose file landing does not have were lost from it, or the warehouse is that of another folder: one of the two is wrong. */
async function refuseUnknown({ engine, domains, landing }: AbsorbingWorld): Promise<void> {
  const models = domains.flatMap(({ raw }) => raw.map(({ kept }) => literal(kept.model)));
  if (models.length === 0) return;
  const absorbed = await engine.rows(
    `select distinct file, sha256 from meta.absorbed where table_name in (${models.join(', ')}) order by file`,
  );
  const isUnknown = ({ file, sha256 }: Row) =>
    !landing.isKnown(String(file), sha256 === null ? null : String(sha256));
  const [first, ...more] = absorbed.filter(isUnknown);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and of ${more.length} more files`;
  throw new LandingError(
    'damaged_landing',
    `the warehouse holds rows of ${first['file']}${others}, which is not what landed`,
    {
      todo: 'Restore the landing folder from a backup; or, to go on with the rows that it has, run: npm run jobs -- rebuild',
    },
  );
}

/** A compacted file whose parts were absorbed is absorbed as well. */
async function adoptCompacted(
  { engine, landing }: AbsorbingWorld,
  model: Model,
  table: string,
): Promise<void> {
  const compacted = landing
    .receipts(table)
    .filter(({ replaces, file }) => replaces !== undefined && file !== null);
  const fresh = new Set(
    await notAbsorbed(
      engine,
      model,
      compacted.map(({ file }) => file ?? ''),
    ),
  );
  for (const { file, replaces = [] } of compacted.filter((receipt) => fresh.has(receipt.file ?? ''))) {
    const parts = `table_name = ${literal(model.name)} and file in (${replaces.map((batch) => literal(`${batch}.parquet`)).join(', ')})`;
    await engine.transaction(async () => {
      await engine.execute(`insert into meta.absorbed
        select table_name, ${literal(basename(file ?? ''))}, min(first_time), bool_and(is_settled), ${literal(landing.sha256Of(file ?? ''))}
        from meta.absorbed where ${parts} group by table_name`);
      await engine.execute(`delete from meta.absorbed where ${parts}`);
    });
  }
}

/** Computes every model but the `append` ones, each after what it reads. */
export async function computeModels(
  world: Pick<World, 'engine' | 'models' | 'nowMs' | 'reporter'>,
  window: Parameters,
): Promise<void> {
  for (const model of world.models.models) {
    if (model.kind === 'append') continue;
    const startedMs = world.nowMs();
    const rows = await materialize(world.engine, model, window);
    world.reporter.debug('computed', { table: model.name, rows, ms: world.nowMs() - startedMs });
  }
}
