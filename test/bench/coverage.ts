// P7: coverage over many rounds. From scratch (the checkpoints of every day, then coverage) and from the last checkpoint, against a bare
// scan that counts the same rows. BENCH_ROUNDS sets the number of rounds (50 million by default).

import { materialize } from '../../jobs/engine/materialize.ts';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { dayOf } from '../../platform/base/time.ts';
import { duckDbOf } from '../support/duckdb-of.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { type BenchReport, median } from './report.ts';

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FEEDS = 5_000;
const HEARTBEAT_S = 300;
const RUNS = 5;

export async function bench(): Promise<BenchReport> {
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 50_000_000);
  const { dir, remove } = testFolder();
  const flags = ['--no-demo-incidents', '--demo-days', '1', '--duckdb-memory-limit', '12GB'];
  const { context: world, close } = await openTestWorld(dir, { flags, now: NOW });
  try {
    const perFeed = Math.floor(rounds / FEEDS);
    await fill(world, perFeed);
    const whole = { start: dayOf(NOW - perFeed * HEARTBEAT_S), end: NOW + 1, now: NOW };
    return await measure(world, { rounds: perFeed * FEEDS, whole });
  } finally {
    await close();
    remove();
  }
}

/** One round per heartbeat for every feed, stored in the order in which ticks would have stored them: by day, feed and time. */
async function fill(world: PipelineContext, perFeed: number): Promise<void> {
  const db = duckDbOf(world);
  const address = "concat('0x', lpad(cast(f as varchar), 40, '0'))";
  await db.execute(`insert into obs.feed_registry by name
    select 'ethereum' as chain, 'chainlink' as provider, ${address} as feed_address, 'A / B' as name, 'A' as base, 'B' as quote,
      'A-B' as pair, 'price' as category, 'Crypto' as asset_class, 'low' as risk_level, ${HEARTBEAT_S} as heartbeat_s, 50 as deviation_bps,
      8 as decimals, 'crypto' as market_hours, false as is_deprecating, '' as edge_case_flags,
      ${NOW - (perFeed + 1) * HEARTBEAT_S} as observed_at, 'bench' as source_id, ${NOW} as fetched_at
    from range(${FEEDS}) r(f)`);
  await db.execute(`insert into obs.feed_round by name
    select *, observed_at - observed_at % 86400 as day from (
      select 'ethereum' as chain, ${address} as feed_address, cast(k as varchar) as round_id, '100000000' as answer, 8 as decimals,
        1e0 as price, ${NOW} - (${perFeed} - k) * ${HEARTBEAT_S} as observed_at, ${NOW} - (${perFeed} - k) * ${HEARTBEAT_S} as updated_at,
        true as is_valid, 'bench' as source_id, ${NOW} as fetched_at
      from range(1, ${perFeed} + 1) k(k), range(${FEEDS}) r(f)
    ) order by day, chain, feed_address, observed_at`);
}

const COVERAGE = ['derived.feed_coverage'];

async function measure(
  world: PipelineContext,
  { rounds, whole }: { readonly rounds: number; readonly whole: Parameters },
): Promise<BenchReport> {
  const scan = `select chain, feed_address, count(*) as n, min(observed_at) as first_at, max(observed_at) as last_at
    from obs.feed_round where is_valid group by chain, feed_address`;
  const times = { scan: [] as number[], scratch: [] as number[], rollup: [] as number[] };
  await compute(world, ['derived.feed_version', 'derived.feed', 'derived.market_opening'], whole);
  for (let run = 0; run < RUNS; run += 1) {
    times.scan.push(
      await timed(() => duckDbOf(world).execute(`create or replace temp table scanned as ${scan}`)),
    );
    times.scratch.push(await timed(() => compute(world, ['derived.feed_state', ...COVERAGE], whole)));
    times.rollup.push(await timed(() => compute(world, COVERAGE, whole)));
  }
  const [scanMs, scratchMs, rollupMs] = [median(times.scan), median(times.scratch), median(times.rollup)];
  const [row] = await duckDbOf(world).rows(
    'select count(*) as feeds, sum(rows_present)::bigint as n from derived.feed_coverage',
  );
  return {
    name: 'coverage',
    figures: {
      rounds,
      feeds: Number(row?.['feeds']),
      rows_counted: Number(row?.['n']),
      scan_ms: scanMs,
      scratch_ms: scratchMs,
      rollup_ms: rollupMs,
    },
    ratios: [
      { label: 'P7 from scratch, against a bare scan', value: scratchMs / scanMs, goal: '≤ 1.2' },
      { label: 'P7 by rollup, a bare scan against it', value: scanMs / rollupMs, goal: '≥ 50' },
    ],
  };
}

async function compute(
  { models, warehouse }: PipelineContext,
  names: readonly string[],
  parameters: Parameters,
): Promise<void> {
  for (const model of models.models)
    if (names.includes(model.name)) await materialize(warehouse, model, parameters);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
