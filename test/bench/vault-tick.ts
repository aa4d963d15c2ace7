// What vaults and oracle paths add to a tick: two worlds with the same markets and feeds, of which one has vaults, their positions and the
// paths of all markets too. Their ticks take turns. Every source is read at each tick, as it is when readings are due.
import { HOUR_S } from '../../platform/base/time.ts';
import { type BenchReport, median } from './report.ts';
import type { VaultWorld } from './vault-rows.ts';
import { FEEDS, MARKETS, openVaultPipeline, PATHS, type TableRows, VAULTS } from './vault-world.ts';

const READ_EVERY_S = 900;
const TICKS = Number(process.env['BENCH_TICKS'] ?? 5);
/** Hour of the first day at which the ticks begin: every tick computes the day again. */
const HOUR = Number(process.env['BENCH_HOUR'] ?? 12);

export async function measureTick(world: VaultWorld): Promise<Pick<BenchReport, 'figures' | 'ratios'>> {
  const common = [...FEEDS, ...MARKETS];
  const sides = [
    await openSide(world, common),
    await openSide(world, [...common, ...VAULTS, ...PATHS]),
  ] as const;
  try {
    for (let tick = 1; tick <= TICKS; tick += 1)
      for (const side of tick % 2 === 0 ? sides : sides.toReversed()) await side.tick(tick);
  } finally {
    for (const { pipeline } of sides) await pipeline.close();
  }
  const [without, all] = sides.map(({ times }) => median(times) / 1000) as [number, number];
  const [cpuWithout, cpuAll] = sides.map(({ cpu }) => median(cpu)) as [number, number];
  return {
    figures: {
      hour: HOUR,
      tick_without_s: without,
      tick_s: all,
      tick_without_cpu_s: cpuWithout,
      tick_cpu_s: cpuAll,
      ...Object.fromEntries(
        longest(sides[1].pipeline.models).map(([name, ms]) => [`${name}_cpu_ms`, ms / TICKS]),
      ),
    },
    ratios: [
      { label: 'a tick with vaults and paths against one without', value: all / without, goal: '≤ 1.3' },
      { label: 'what they add to a tick, s', value: all - without, goal: '≤ 3' },
    ],
  };
}

const longest = (times: ReadonlyMap<string, number>) =>
  [...times].sort(([, left], [, right]) => right - left).slice(0, Number(process.env['BENCH_MODELS'] ?? 8));

/** A world that has run until HOUR of its first day. */
async function openSide(world: VaultWorld, tables: readonly TableRows[]) {
  const start = world.from + HOUR * HOUR_S;
  const pipeline = await openVaultPipeline(world, tables, { step: READ_EVERY_S, opened_at: start });
  await pipeline.runTo(start);
  pipeline.models.clear();
  const [times, cpu]: [number[], number[]] = [[], []];
  return {
    pipeline,
    times,
    cpu,
    async tick(count: number) {
      const [startedMs, before] = [performance.now(), process.cpuUsage()];
      await pipeline.runTo(start + count * READ_EVERY_S);
      const { user, system } = process.cpuUsage(before);
      times.push(performance.now() - startedMs);
      cpu.push((user + system) / 1e6);
    },
  };
}
