// A warehouse in memory with a small domain in a temporary folder: what the tests of the model machinery work on.
import type { Engine, Row } from '../../jobs/engine/engine.ts';
import { bindPolicy } from '../../jobs/pipeline/models/bind.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import { type Absorbed, absorb } from '../../jobs/pipeline/models/materialize.ts';
import type { Model } from '../../jobs/pipeline/models/model.ts';
import { prepareTables } from '../../jobs/pipeline/models/model-table.ts';
import { openScratchEngine } from './case-duckdb.ts';
import { limitTable, READING_SQL, readingTable, type Scratch, scratch } from './model-folder.ts';

export const DAY = 86_400;
export const span = (start: number, end: number) => ({ start, end, now: end - 1 });
export const ALL = span(0, 100 * DAY);

export interface ModelWorld {
  readonly engine: Engine;
  readonly folder: Scratch;
  /** Loads these models beside `obs.reading` and makes their tables. */
  prepare(files: { readonly [name: string]: string }): ReturnType<typeof prepareTables>;
  models(): readonly Model[];
  model(name: string): Model;
  absorbFiles(files: readonly string[]): Promise<Absorbed>;
  rows(table: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export async function openModelWorld(): Promise<ModelWorld> {
  const engine = await openScratchEngine();
  const folder = scratch();
  let models: readonly Model[] = [];
  await bindPolicy(engine, limitTable, [['high', 9]]);
  const model = (name: string): Model => {
    const found = models.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no model ${name}`);
    return found;
  };
  return {
    engine,
    folder,
    model,
    models: () => models,
    async prepare(files) {
      const domain = folder.domain('meters', { 'obs.reading.sql': READING_SQL, ...files });
      ({ models } = await loadModels(engine, [domain]));
      return prepareTables(engine, { models, raw: [readingTable] });
    },
    absorbFiles: (files) =>
      absorb(engine, model('obs.reading'), { raw: readingTable, files, parameters: ALL }),
    rows: (table) => engine.rows(`select * from ${table}`),
    async close() {
      folder.remove();
      await engine.close();
    },
  };
}
