// What landing costs: rows from a file into Parquet, checked and deduplicated, and from there into the warehouse's ordered table, against
// the engine's bare typed reader into a table. Both sides read the same file in one process, in turns. BENCH_ROUNDS and BENCH_ROWS set the
// number of turns and rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb } from '../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { feedRound } from '../../jobs/families/oracles/raw.ts';
import { absorbLanded } from '../../jobs/pipeline/run/compute.ts';
import { duckDbOf } from '../support/duckdb-of.ts';
import { inWorld } from '../support/pipeline-world.ts';
import type { BenchRatio, BenchReport } from './report.ts';

export interface LandBenchOptions {
  readonly rows?: number;
  readonly turns?: number;
}

const FEEDS = 40;
const START = 1_613_585_410;
const NOW = 1_763_000_000;
/** Threads of both sides. */
const THREADS = 2;
const COLUMNS =
  "{'chain': 'VARCHAR', 'feed_address': 'VARCHAR', 'round_id': 'VARCHAR', 'answer': 'VARCHAR', 'updated_at': 'BIGINT'}";

type Format = 'csv' | 'ndjson';

interface BenchPipeline {
  readonly root: string;
  readonly engine: DuckDb;
  readonly rows: number;
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const ROWS = Number(process.env['BENCH_ROWS'] ?? 2_000_000);

/** `rows` in each file, `turns` measurements of each side; the figures are medians. */
export async function bench({ rows = ROWS, turns = ROUNDS }: LandBenchOptions = {}): Promise<BenchReport> {
  const root = await mkdtemp(join(tmpdir(), 'bench-land-'));
  const engine = await openDuckDb({
    file: join(root, 'w.duckdb'),
    memoryLimit: '2GB',
    threads: THREADS,
    tempDir: join(root, 'tmp'),
  });
  const pipeline: BenchPipeline = { root, engine, rows };
  try {
    const figures: Record<string, number> = {};
    const ratios: BenchRatio[] = [];
    for (const format of ['csv', 'ndjson'] as const) {
      const { bare, ingest, all } = await compare(pipeline, format, turns);
      figures[`${format}_bare_rows_per_s`] = Math.round((rows / bare) * 1000);
      figures[`${format}_landed_rows_per_s`] = Math.round((rows / ingest) * 1000);
      figures[`${format}_kept_rows_per_s`] = Math.round((rows / all) * 1000);
      ratios.push({
        label: `P9 ${format}: rows landed to obs against the bare reader`,
        value: bare / all,
        goal: '≥ 0.5',
      });
    }
    return { name: 'land', figures, ratios };
  } finally {
    await engine.close();
    await rm(root, { recursive: true, force: true });
  }
}

interface Compared {
  readonly bare: number;
  readonly ingest: number;
  readonly all: number;
}

async function compare(pipeline: BenchPipeline, format: Format, turns: number): Promise<Compared> {
  const path = join(pipeline.root, `rounds.${format}`);
  await generate(pipeline, format, path);
  const bare: number[] = [];
  const landed: Landed[] = [];
  for (let turn = 0; turn < turns; turn++) {
    bare.push(await elapsed(() => readBare(pipeline, format, path)));
    landed.push(await landFile(pipeline, format, path));
  }
  return {
    bare: median(bare),
    ingest: median(landed.map(({ ingest }) => ingest)),
    all: median(landed.map(({ all }) => all)),
  };
}

async function generate({ engine, rows }: BenchPipeline, format: Format, path: string): Promise<void> {
  const options = format === 'csv' ? '(format csv, header)' : '(format json)';
  await engine.execute(`copy (select 'ethereum' as chain, '0x' || md5(cast(i % ${FEEDS} as varchar)) || '3e7d1eab' as feed_address,
    cast(cast(18446744073709551616 as hugeint) + i as varchar) as round_id, cast(100000000 + hash(i) % 1000000 as varchar) as answer,
    ${START} + (i // ${FEEDS}) * 60 as updated_at from range(${rows}) r(i)) to '${path}' ${options}`);
}

async function readBare({ engine }: BenchPipeline, format: Format, path: string): Promise<void> {
  const reader =
    format === 'csv'
      ? `read_csv('${path}', auto_detect = false, header = true, delim = ',', columns = ${COLUMNS})`
      : `read_json('${path}', format = 'newline_delimited', columns = ${COLUMNS})`;
  await engine.execute(`create or replace table bare as select * from ${reader}`);
  await engine.checkpoint();
}

const SOURCES = (path: string, format: Format) => ({
  bench: {
    table: 'feed_round',
    path,
    format,
    name: 'Bench',
    fields: {
      chain: 'chain',
      feed_address: 'feed_address',
      round_id: 'round_id',
      answer: 'answer',
      decimals: { value: 8 },
      updated_at: 'updated_at',
    },
  },
});

/** Lands the file in a new folder and absorbs it into the warehouse, as a run does; opening and closing are not measured. */
async function landFile({ root }: BenchPipeline, format: Format, path: string): Promise<Landed> {
  const dir = await mkdtemp(join(root, 'data-'));
  const config = { profile: 'files', sources: SOURCES(path, format) };
  const flags = ['--duckdb-threads', String(THREADS)];
  return inWorld(dir, { now: NOW, config, flags }, async (world) => {
    const started = performance.now();
    const [source] = world.sources;
    for await (const delivery of source?.deliveries({ from: 0, to: NOW }) ?? []) {
      const context = { interval: { from: 0, to: NOW }, fetchedAt: NOW };
      if (source) await world.ingest.land(feedRound, source.facts, delivery, context);
    }
    const landedAt = performance.now();
    await absorbLanded({ ...world, landing: world.ingest });
    await duckDbOf(world).checkpoint();
    return { ingest: landedAt - started, all: performance.now() - started };
  }).finally(() => rm(dir, { recursive: true }));
}

/** Milliseconds until the batch was committed, and until its rows were kept. */
interface Landed {
  readonly ingest: number;
  readonly all: number;
}

async function elapsed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
