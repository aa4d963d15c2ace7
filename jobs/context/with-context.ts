// Works on an opened world. When its warehouse turns out to be damaged, whenever that is met, it is set aside, made again from landing, and the
// work begins again.
import type { Config } from '../config.ts';
import { warehouseDamage } from '../engine/errors.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { readLedger } from '../pipeline/run/ledger.ts';
import { type Effects, openWorld, setAside } from './open-context.ts';

/**
 * @throws what opening or the work throws; the damage itself when the new warehouse is damaged too before a run has been completed on it.
 */
export async function workInWorld<T>(
  config: Config,
  effects: Effects,
  work: (world: PipelineContext) => Promise<T>,
): Promise<T> {
  let completedBefore: number | null = null;
  for (;;) {
    try {
      const isFirst = completedBefore === null;
      return await once(config, isFirst ? effects : { ...effects, isStart: false, isRebuild: false }, work);
    } catch (error) {
      const damage = warehouseDamage(error);
      const completed = completedRuns(config);
      if (damage === null || completed === completedBefore) throw error;
      completedBefore = completed;
      effects.reporter.warn(`${damage.message}\nThe warehouse is set aside and made again from landing.`);
      setAside(config.paths.warehouse);
    }
  }
}

async function once<T>(
  config: Config,
  effects: Effects,
  work: (world: PipelineContext) => Promise<T>,
): Promise<T> {
  const { world, close } = await openWorld(config, effects);
  try {
    return await work(world);
  } finally {
    await close();
  }
}

const completedRuns = ({ paths }: Config): number =>
  readLedger(paths.ledger).entries.filter(({ state }) => state === 'succeeded' || state === 'partial').length;
