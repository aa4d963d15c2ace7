// Whether a source that never responds delays a tick: two installations of the profile `live`, each with its fetching process, one of them
// with hosts that accept requests but never respond. Their ticks alternate.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runOnce } from '../../jobs/commands/work.ts';
import { openStandIns } from '../support/live-world/stand-ins.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { type BenchReport, median } from './report.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const TICKS = Number(process.env['BENCH_TICKS'] ?? 200);
const SILENT = ['yields.llama.fi', 'governance.aave.com', 'api.growthepie.com'];
const FIRST_READINGS_MS = 15_000;
/** A tick covers whole seconds. */
const BETWEEN_MS = 1_000;

const nowMs = () => Date.now();

async function installation(silent: readonly string[]) {
  const standIns = await openStandIns({ nowMs, silent });
  const { dir, remove } = testFolder();
  const { hosts, sources } = standIns;
  const config = { profile: 'live', hosts: { ...hosts }, sources: { ...sources } } as const;
  const { context, close } = await openTestWorld(dir, { now: nowMs() / 1000, nowMs, config });
  const args = ['jobs/main.ts', 'fetch', '--watch', '--config', join(dir, 'config.json'), '--data-dir', dir];
  const fetching = spawn(process.execPath, [...args, '--log-level', 'silent'], {
    cwd: PROJECT,
    stdio: 'ignore',
  });
  return {
    times: [] as number[],
    async tick() {
      const startedMs = performance.now();
      await runOnce(context, null);
      return performance.now() - startedMs;
    },
    async stop() {
      const ended = once(fetching, 'exit');
      fetching.kill('SIGTERM');
      await ended;
      await close();
      await standIns.close();
      remove();
    },
  };
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

export async function bench(): Promise<BenchReport> {
  const [answering, hanging] = [await installation([]), await installation(SILENT)];
  try {
    await wait(FIRST_READINGS_MS);
    for (const one of [answering, hanging]) await one.tick();
    for (let tick = 0; tick < TICKS; tick++) {
      // In turn, so that other load on the machine affects both.
      const pair = tick % 2 === 0 ? [answering, hanging] : [hanging, answering];
      for (const one of pair) one.times.push(await one.tick());
      await wait(BETWEEN_MS);
    }
  } finally {
    await answering.stop();
    await hanging.stop();
  }
  const figures = { ticks: TICKS, silent_hosts: SILENT.length };
  const p99 = (times: readonly number[]) => percentile(times, 0.99);
  return {
    name: 'live-tick',
    figures: {
      ...figures,
      answering_p50_ms: median(answering.times),
      hanging_p50_ms: median(hanging.times),
      answering_p99_ms: p99(answering.times),
      hanging_p99_ms: p99(hanging.times),
    },
    ratios: [
      {
        label: 'p99 of a tick, hanging sources against none',
        value: p99(hanging.times) / p99(answering.times),
        goal: '≤ 1.1',
      },
      {
        label: 'p50 of a tick, hanging sources against none',
        value: median(hanging.times) / median(answering.times),
        goal: '≤ 1.1',
      },
    ],
  };
}
