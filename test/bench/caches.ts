// What each cache of the jobs earns in a tick: ticks with that cache switched off, each between two ticks with all caches on. BENCH_FEEDS
// and BENCH_DAYS set the size (40 and 7 by default), BENCH_ROUNDS how often each cache is measured. Times are CPU times of this process,
// which other programs on the machine disturb less than the clock; a figure is the median of all rounds.
import { CACHES } from '../../jobs/incremental/caches.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { silenced } from './one-round.ts';
import { type BenchReport, median } from './report.ts';
import { cpuMs } from './child.ts';

const TICK_SECONDS = 300;
const WARMING_TICKS = 6;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** Caches that serve the start of a process, or its hourly housekeeping, earn nothing here. */
const NAMES = Object.keys(CACHES).filter((name) => name !== 'parsed-queries' && name !== 'manifests');

export async function bench(): Promise<BenchReport> {
  const [feeds, days] = [process.env['BENCH_FEEDS'] ?? '40', process.env['BENCH_DAYS'] ?? '7'];
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
  const off = new Set<string>();
  const world = await openWorld({ feeds, days, off });
  const shares = new Map<string, number[]>();
  try {
    await world.tick('busy', -1);
    for (let tick = 0; tick < WARMING_TICKS; tick += 1) await world.tick('busy');
    for (let round = 0; round < rounds; round += 1)
      for (const kind of ['quiet', 'busy'] as const)
        for (const name of NAMES) {
          const before = await world.tick(kind);
          off.add(name);
          const without = await world.tick(kind);
          off.clear();
          // The first tick after it fills the cache again.
          await world.tick(kind);
          const label = `${name.replaceAll('-', '_')}_${kind}_pct`;
          const share = (without * 2) / (before + (await world.tick(kind))) - 1;
          shares.set(label, [...(shares.get(label) ?? []), share * 100]);
        }
  } finally {
    await world.close();
  }
  const figures = Object.fromEntries([...shares].map(([label, all]) => [label, median(all)]));
  return { name: 'caches', figures: { feeds, history_days: days, rounds, ...figures }, ratios: [] };
}

interface Size {
  readonly feeds: string;
  readonly days: string;
  readonly off: ReadonlySet<string>;
}

/** A tick is quiet if nothing is delivered. */
type Kind = 'quiet' | 'busy';

async function openWorld({ feeds, days, off }: Size) {
  const clock = { now: NOW };
  const folder = testFolder();
  const { context, close } = await openTestWorld(folder.dir, {
    flags: [
      '--demo-feeds',
      feeds,
      '--demo-days',
      days,
      '--no-demo-incidents',
      '--duckdb-memory-limit',
      '4GB',
    ],
    now: NOW,
    nowMs: () => clock.now * 1000,
    off,
  });
  const silent = silenced(context.sources);
  const tick = (kind: Kind, from = clock.now): Promise<number> => {
    if (from >= 0) clock.now += TICK_SECONDS;
    const world = kind === 'quiet' ? { ...context, sources: silent } : context;
    return cpuMs(() =>
      recordedRun(world, 'tick', {
        interval: { from, to: clock.now },
        gather: true,
        detect: 'late_rows',
        publish: true,
      }),
    );
  };
  return { tick, close: () => close().finally(() => folder.remove()) };
}
