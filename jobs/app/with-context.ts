// Runs work on an open context. If the warehouse turns out to be damaged at any time, it is set aside and rebuilt from landing, and the
// work starts over.
import type { Config } from '../config.ts';
import { warehouseDamage } from '../engine/errors.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { type Ledger, readLedger, requireLedger } from '../pipeline/run/ledger.ts';
import { type Effects, openContext } from './open-context.ts';
import { setAside } from './set-aside.ts';

/**
 * @throws what opening or the work throws; LedgerLostError if the folder is gone, which looks like damage; the damage itself if the rebuilt warehouse is damaged too before any run completes on it.
 */
export async function withContext<T>(
  config: Config,
  effects: Effects,
  work: (context: PipelineContext) => Promise<T>,
): Promise<T> {
  let completedBefore: number | null = null;
  let ledger: Pick<Ledger, 'entries'> = { entries: [] };
  for (;;) {
    try {
      const isFirst = completedBefore === null;
      return await once(
        config,
        isFirst ? effects : { ...effects, isStart: false, isRebuild: false },
        (context) => {
          ledger = context.ledger;
          return work(context);
        },
      );
    } catch (error) {
      const damage = warehouseDamage(error);
      const completed = completedRuns(config);
      if (damage === null) throw error;
      requireLedger(ledger, config.paths.ledger);
      if (completed === completedBefore) throw error;
      completedBefore = completed;
      effects.reporter.warn(`${damage.message}\nThe warehouse is set aside and rebuilt from landing.`);
      setAside(config.paths.warehouse);
    }
  }
}

async function once<T>(
  config: Config,
  effects: Effects,
  work: (context: PipelineContext) => Promise<T>,
): Promise<T> {
  const { context, close } = await openContext(config, effects);
  try {
    return await work(context);
  } finally {
    await close();
  }
}

const completedRuns = ({ paths }: Config): number =>
  readLedger(paths.ledger).entries.filter(({ state }) => state === 'succeeded' || state === 'partial').length;
