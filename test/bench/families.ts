// The daily families at scale: transactions, votes and messages in seven-day windows, against the engine's bare scan and aggregation of the
// same rows; and the cost of one further day with a long and with a short history. BENCH_ROWS sets the rows of each family (10 million),
// BENCH_DAY_ROWS the rows of each day of the histories (100,000), BENCH_TURNS how often each side runs (5).

import type { Delivery } from '../../jobs/define/source.ts';
import { messageFamily, writtenMessages } from './families-messages.ts';
import {
  type BenchPipeline,
  compute,
  daysFrom,
  type Family,
  fillDays,
  land,
  openBenchPipeline,
  parquetOf,
  scanBare,
  timed,
} from './families-pipeline.ts';
import { transactionFamily } from './families-transactions.ts';
import { voteFamily } from './families-votes.ts';
import { type BenchRatio, type BenchReport, median } from './report.ts';

const WEEK_DAYS = 7;
const LONG_DAYS = 60;
const LANDED_ROWS = 200_000;
const FAMILIES = [transactionFamily, voteFamily, messageFamily];
const NO_GOAL = 'none set';
const KIB_A_GIB = 1024 * 1024;

interface Sizes {
  readonly rows: number;
  readonly dayRows: number;
  readonly turns: number;
}

type Measured = Pick<BenchReport, 'figures' | 'ratios'>;

export async function bench(): Promise<BenchReport> {
  const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
  const sizes: Sizes = {
    rows: number('BENCH_ROWS', 10_000_000),
    dayRows: number('BENCH_DAY_ROWS', 100_000),
    turns: number('BENCH_TURNS', 5),
  };
  const parts: Measured[] = [];
  for (const family of FAMILIES) {
    parts.push(await measureWeek(family, sizes));
    parts.push(await measureFurtherDay(family, sizes));
    parts.push(await measureLanding(family));
  }
  const peakGib = process.resourceUsage().maxRSS / KIB_A_GIB;
  const closing: BenchRatio[] = [
    { label: 'peak memory of the whole process, GiB', value: peakGib, goal: '≤ 4' },
  ];
  return {
    name: 'families',
    figures: Object.assign({ rows_a_family: sizes.rows }, ...parts.map(({ figures }) => figures)),
    ratios: [...parts.flatMap(({ ratios }) => ratios), ...closing],
  };
}

async function measureWeek(family: Family, { rows, turns }: Sizes): Promise<Measured> {
  const pipeline = await openBenchPipeline(family);
  try {
    const fillMs = await timed(() => fillDays(pipeline, WEEK_DAYS, Math.ceil(rows / WEEK_DAYS)));
    const week = daysFrom(0, WEEK_DAYS);
    const bare: number[] = [];
    const models: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      bare.push(await timed(() => scanBare(pipeline, week)));
      models.push(await timed(() => compute(pipeline, week)));
    }
    const [bareMs, modelsMs] = [median(bare), median(models)];
    const name = `${family.name}_${family.rows}`;
    const aSecond = (ms: number) => Math.round((rows / ms) * 1000);
    return {
      figures: {
        [`${name}_filled_per_s`]: aSecond(fillMs),
        [`${name}_bare_per_s`]: aSecond(bareMs),
        [`${name}_computed_per_s`]: aSecond(modelsMs),
        [`${name}_peak_rss_gib`]: process.resourceUsage().maxRSS / KIB_A_GIB,
      },
      ratios: [
        {
          label: `${family.rows}: every figure of a week, against one bare scan and aggregation`,
          value: modelsMs / bareMs,
          goal: NO_GOAL,
        },
      ],
    };
  } finally {
    await pipeline.close();
  }
}

/** Computes the day after the history repeatedly, in turns: it replaces only its own rows. */
async function measureFurtherDay(family: Family, { dayRows, turns }: Sizes): Promise<Measured> {
  const beds = { short: await openBenchPipeline(family), long: await openBenchPipeline(family) };
  const times = { short: [] as number[], long: [] as number[] };
  try {
    for (const [name, days] of [
      ['short', WEEK_DAYS],
      ['long', LONG_DAYS],
    ] as const) {
      await fillDays(beds[name], days + 1, dayRows);
      await compute(beds[name], daysFrom(0, days));
    }
    for (let turn = 0; turn < turns + 1; turn += 1)
      for (const [name, days] of [
        ['short', WEEK_DAYS],
        ['long', LONG_DAYS],
      ] as const)
        times[name].push(await timed(() => compute(beds[name], daysFrom(days, 1))));
  } finally {
    await beds.short.close();
    await beds.long.close();
  }
  // The first run of each side also reads the files for the first time.
  const [short, long] = [median(times.short.slice(1)), median(times.long.slice(1))];
  return {
    figures: {
      [`${family.name}_further_day_after_${WEEK_DAYS}_ms`]: short,
      [`${family.name}_further_day_after_${LONG_DAYS}_ms`]: long,
    },
    ratios: [
      {
        label: `${family.rows}: a further day, ${LONG_DAYS} days of history against ${WEEK_DAYS}`,
        value: long / short,
        goal: '≤ 1.1',
      },
    ],
  };
}

/** From a source's rows to kept rows on one thread: rows per second of CPU time, including the analysis of the words of messages. */
async function measureLanding(family: Family): Promise<Measured> {
  const pipeline = await openBenchPipeline(family, 1);
  let rows = 0;
  let cpuMicros = 0;
  try {
    for await (const delivery of deliveriesOf(pipeline)) {
      const before = process.cpuUsage();
      rows += await land(pipeline, family.table, delivery);
      const { user, system } = process.cpuUsage(before);
      cpuMicros += user + system;
    }
  } finally {
    await pipeline.close();
  }
  const value = (rows / cpuMicros) * 1e6;
  const goal = family === messageFamily ? '≥ 20000' : NO_GOAL;
  return {
    figures: { [`${family.name}_${family.rows}_landed`]: rows },
    ratios: [{ label: `${family.rows} landed a second of one core`, value, goal }],
  };
}

async function* deliveriesOf(pipeline: BenchPipeline): AsyncIterable<Delivery> {
  if (pipeline.family === messageFamily) {
    yield* writtenMessages(LANDED_ROWS);
    return;
  }
  for (const [table, sql] of pipeline.family.day(0, LANDED_ROWS))
    if (table === pipeline.family.table) yield await parquetOf(pipeline, table, sql);
}
