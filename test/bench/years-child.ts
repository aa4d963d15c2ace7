// One age of the benchmark of years: opens the folder, runs ticks and sends the figures to its parent. Run with `--expose-gc`.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readStatus } from '../../jobs/commands/status.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { DAY_S } from '../../platform/base/time.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openTestWorld } from '../support/pipeline-world.ts';
import { median } from './report.ts';
import { MEGABYTE, TICK, type YearsFigures, yearsWorld } from './years.ts';
import { cpuMs } from './child.ts';

const TICKS = 5;
const [dir = '', start = '0'] = process.argv.slice(2);
const clock = { now: Number(start) };

function heapMb(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MEGABYTE;
}

async function worked(): Promise<YearsFigures> {
  const before = heapMb();
  let opened: Awaited<ReturnType<typeof openTestWorld>> | undefined;
  const open_cpu_ms = await cpuMs(async () => {
    opened = await openTestWorld(
      dir,
      yearsWorld(() => clock.now),
    );
  });
  if (opened === undefined) throw new Error('not opened');
  const { context, close } = opened;
  const heap_mb = heapMb() - before;
  const tickTo = (to: number) => {
    const from = clock.now;
    clock.now = to;
    return cpuMs(() => recordedRun(context, 'tick', { interval: { from, to }, ...TICK }));
  };
  const ticks: number[] = [];
  for (let n = 0; n < TICKS; n += 1) ticks.push(await tickTo(clock.now + 300));
  const midnight = (Math.floor(clock.now / DAY_S) + 1) * DAY_S;
  await tickTo(midnight - 200);
  const midnight_cpu_ms = await tickTo(midnight + 100);
  const { snapshots } = context;
  await close();
  const ledger = join(dir, 'ledger.ndjson');
  return {
    open_cpu_ms,
    heap_mb,
    tick_cpu_ms: median(ticks),
    midnight_cpu_ms,
    status_cpu_ms: await cpuMs(() =>
      readStatus({ disk: nodeDisk, dataDir: dir, snapshots, ledger, nowMs: clock.now * 1_000 }),
    ),
    ledger_mb: statSync(ledger).size / MEGABYTE,
  };
}

process.send?.(await worked());
