// Takes landed rows into the warehouse and computes what follows from them.
import { absorb, materialize } from './materialize.ts';
import type { Parameters } from './model-text.ts';
import type { World } from './world.ts';

const NO_TIME: Parameters = { start: 0, end: 0, now: 0 };

/** Adds every landed file that the warehouse does not have yet. Answers how many rows came in. */
export async function absorbLanded(
  world: Pick<World, 'engine' | 'models' | 'domains' | 'landing'>,
): Promise<number> {
  let rows = 0;
  for (const raw of world.domains.flatMap((domain) => domain.raw)) {
    const model = world.models.models.find(({ name }) => name === raw.kept.model);
    if (model === undefined)
      throw new Error(`raw table ${raw.name}: there is no model ${raw.kept.model} that keeps its rows`);
    const files = world.landing.files(raw.name);
    const absorbed = await absorb(world.engine, model, { raw, files, parameters: NO_TIME });
    rows += absorbed.rows;
  }
  return rows;
}

/** Computes every model but the `append` ones, each after what it reads. */
export async function computeModels(world: World, window: Parameters): Promise<void> {
  for (const model of world.models.models) {
    if (model.kind === 'append') continue;
    const startedMs = world.nowMs();
    const rows = await materialize(world.engine, model, window);
    world.reporter.debug('computed', { table: model.name, rows, ms: world.nowMs() - startedMs });
  }
}
