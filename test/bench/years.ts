// How an installation ages: the demo with a ledger and receipts of so many years of ticks before it. Opening, ticks, midnight and `status`, in
// a process of its own for each age. YEARS is a list of ages, the youngest first.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Receipt } from '../../jobs/ingest/receipts/receipt.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { DAY_S } from '../../platform/base/time.ts';
import { removeFolder } from '../support/temporary-folder.ts';
import { inWorld, testFolder, type TestWorldOptions } from '../support/pipeline-world.ts';
import { figuresSent } from './child.ts';
import { makeOlder, type Stream } from './aged.ts';
import type { BenchReport } from './report.ts';

export const MEGABYTE = 2 ** 20;
const DEMO_DAYS = 7;
const START = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** Ticks from which the batches of a day are estimated. */
const TICKS = 12;
const TICK_S = 300;
const READY = START + TICKS * TICK_S;

/** How a tick runs. */
export const TICK = { gather: true, detect: 'late_rows', publish: true } as const;

export interface YearsFigures {
  readonly open_cpu_ms: number;
  /** Objects and buffers that opening adds. */
  readonly heap_mb: number;
  readonly tick_cpu_ms: number;
  /** The first tick of a day, which compacts the one before. */
  readonly midnight_cpu_ms: number;
  readonly status_cpu_ms: number;
  readonly ledger_mb: number;
}

export const yearsWorld = (now: () => number): TestWorldOptions => ({
  flags: ['--demo-feeds', '40', '--demo-days', `${DEMO_DAYS}`],
  now: START,
  nowMs: () => now() * 1_000,
});

const receiptsOf = ({ domains, ingest }: PipelineContext): readonly Receipt[] =>
  domains.flatMap(({ raw }) => raw.flatMap(({ name }) => [...ingest.receipts(name)]));

/** Builds the demo and runs some ticks. Resolves to what they landed. */
async function build(dir: string): Promise<readonly Stream[]> {
  const clock = { now: START };
  return inWorld(
    dir,
    yearsWorld(() => clock.now),
    async (context) => {
      await recordedRun(context, 'tick', { interval: { from: -1, to: START }, ...TICK });
      const before = new Set(receiptsOf(context).map(({ batch }) => batch));
      while (clock.now < READY) {
        const from = clock.now;
        clock.now += TICK_S;
        await recordedRun(context, 'tick', { interval: { from, to: clock.now }, ...TICK });
      }
      const landed = receiptsOf(context).filter(({ batch }) => !before.has(batch));
      const streams = Map.groupBy(landed, ({ table, source }) => `${table} ${source.id}`);
      return [...streams.values()].map(([like, ...others]) => ({
        like: like as Receipt,
        batchesPerDay: Math.round(((1 + others.length) / TICKS) * (DAY_S / TICK_S)),
      }));
    },
  );
}

const CHILD = new URL('./years-child.ts', import.meta.url);

function agesIn(text: string): readonly number[] {
  const ages = text.split(',').map(Number);
  if (ages.some((years) => !(years >= 0 && years <= 20)))
    throw new Error(`YEARS=${text}: expected a list of years from 0 to 20, such as 0,1,3`);
  return ages;
}

export async function bench(): Promise<BenchReport> {
  const ages = agesIn(process.env['YEARS'] ?? '0,1,3');
  const folder = testFolder();
  try {
    const young = join(folder.dir, 'young');
    const streams = await build(young);
    const batches = streams.reduce((sum, { batchesPerDay }) => sum + batchesPerDay, 0);
    const figures: Record<string, number> = { 'batches a day': batches };
    for (const years of ages) {
      const dir = join(folder.dir, 'aged');
      cpSync(young, dir, { recursive: true });
      const before = (Math.floor(START / DAY_S) - DEMO_DAYS - 1) * DAY_S;
      figures[`${years} years receipts`] = makeOlder(dir, { days: Math.round(years * 365), before, streams });
      for (const [name, value] of Object.entries(
        await figuresSent<YearsFigures>(CHILD, [dir, `${READY}`], ['--expose-gc']),
      ))
        figures[`${years} years ${name}`] = value;
      removeFolder(dir);
    }
    return { name: 'years', figures, ratios: [] };
  } finally {
    folder.remove();
  }
}
