// Takes back versions. Needs the lock but no open context: it sets the warehouse aside and computes nothing.
import { commandFor } from '../../platform/command-line/command-for.ts';
import type { ExitCode } from '../commands/exit-codes.ts';
import { retract } from '../commands/retract.ts';
import type { Config } from '../config.ts';
import { openLedger } from '../pipeline/run/ledger.ts';
import { lockFolder } from './folder-lock.ts';
import type { LeaderEffects } from './lead.ts';
import { claimSnapshots, openSnapshots } from './open-snapshots.ts';
import { setWarehouseAside } from './set-aside.ts';

export interface TakeBackEffects extends LeaderEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly makeKey: () => Uint8Array;
  readonly print: (line: string) => void;
}

/** @throws InstanceRunningError when another process holds the lock. */
export async function takeBack(
  config: Config,
  to: string | number,
  { disk, term, shared, nowMs, random, makeKey, print }: TakeBackEffects,
): Promise<ExitCode> {
  const { paths } = config;
  const lock = lockFolder(config);
  try {
    const ledger = openLedger(paths.ledger, shared && ((line) => shared.noteRun(line)));
    const snapshots = openSnapshots(config, { nowMs, random }, disk);
    const claim = await claimSnapshots(config, snapshots, { makeKey, ...(term && { term }) });
    return await retract(
      {
        snapshots,
        claim,
        ledger,
        nowMs,
        print,
        commandFor: (operands) => commandFor(config, operands),
        setWarehouseAside: () => setWarehouseAside(config, term),
      },
      to,
    );
  } finally {
    lock.release();
  }
}
