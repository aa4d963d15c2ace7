// A simulated month of live data, up to the tables of the warehouse: the real pipeline runs its ticks while sources are fetched.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { modelRow, type ModelRow, TABLES } from '../../../support/live-world/expected.ts';
import { idOf } from '../../../support/live-world/journal.ts';
import {
  MONTH_CONFIG,
  MONTH_SOURCES,
  scriptOf,
  START_S,
  truthOf,
} from '../../../support/live-world/month.ts';
import { DAY_S, HOUR_S } from '../../../support/live-world/truth-finance.ts';
import { keylessSources, LiveWorld } from '../../../support/live-world/world.ts';
import { openTestWorld } from '../../../support/pipeline-world.ts';

const TICK_S = DAY_S;
/** Length of the period without faults at the end, in which everything readable is read. */
const QUIET_S = 14 * HOUR_S;

/** Recordings are kept beyond the month: by default the last tick may remove the first ones, and the rebuild needs all of them. */
const INSTALLATION = { now: START_S, config: MONTH_CONFIG, env: { RECORDINGS_KEEP_DAYS: '366' } };

export interface Month {
  readonly world: LiveWorld;
  readonly context: PipelineContext;
  close(): Promise<void>;
}

/** Plays the month and calls `onTick` after each tick. */
export async function playMonth(
  dir: string,
  { days, seed }: { readonly days: number; readonly seed: number },
  onTick: (month: Month, day: number) => Promise<void>,
): Promise<Month> {
  const world = await LiveWorld.open({
    truth: truthOf(days),
    script: scriptOf({ seed, days, until: START_S + days * DAY_S - QUIET_S }),
    startMs: START_S * 1000,
    dir,
    sources: keylessSources(MONTH_SOURCES),
  });
  const nowMs = () => world.clock.nowMs();
  const { context, close } = await openTestWorld(dir, { ...INSTALLATION, nowMs });
  world.start();
  const closeAll = async () => {
    await close();
    await world.close();
  };
  const month: Month = { world, context, close: closeAll };
  for (let day = 1; day <= days; day++) {
    const startedMs = performance.now();
    await world.clock.runTo((START_S + day * TICK_S) * 1000);
    const playedMs = performance.now();
    await runOnce(context, null);
    const seconds = (ms: number) => Math.round(ms / 100) / 10;
    console.info(
      `day ${day}: played in ${seconds(playedMs - startedMs)} s, tick in ${seconds(performance.now() - playedMs)} s`,
    );
    await onTick(month, day);
  }
  return month;
}

/** Tables that differ in an installation rebuilt from the recordings alone. */
export async function differingAfterRebuild(
  { world, context }: Month,
  tables: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  cpSync(join(from, 'recordings'), join(to, 'recordings'), { recursive: true });
  const nowMs = () => world.clock.nowMs();
  const { context: rebuilt, close } = await openTestWorld(to, { ...INSTALLATION, nowMs });
  try {
    await runOnce(rebuilt, null);
    const differing: string[] = [];
    for (const table of tables) {
      const sql = `select * from obs.${table} order by all`;
      const [before, after] = [await context.warehouse.rows(sql), await rebuilt.warehouse.rows(sql)];
      if (!isDeepStrictEqual(before, after)) differing.push(table);
    }
    return differing;
  } finally {
    await close();
  }
}

export interface Compared {
  readonly table: string;
  readonly rows: number;
  readonly missing: readonly ModelRow[];
  readonly wrong: readonly ModelRow[];
}

/** Compares tables of sources that show the present with what the sources really served. */
export async function compareSaid({ world, context }: Month): Promise<readonly Compared[]> {
  const { always, perhaps } = world.journal.rows();
  const compared: Compared[] = [];
  for (const [table, sql] of Object.entries(TABLES)) {
    const rows = (await context.warehouse.rows(sql)).map((row) => modelRow(table, row));
    const held = new Map(rows.map((row) => [idOf(row), row.says]));
    const said = (row: ModelRow) => [always, perhaps].map((rows) => rows.get(idOf(row))?.says);
    compared.push({
      table,
      rows: rows.length,
      missing: [...always.values()].filter((row) => row.table === table && held.get(idOf(row)) !== row.says),
      wrong: rows.filter((row) => !said(row).includes(row.says)),
    });
  }
  return compared;
}
