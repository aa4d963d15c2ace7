// What people would use instead, side by side, at equal work. Each peer is installed from its registry into a folder that is removed
// afterwards; one that is not available is skipped, with a line that says why. Takes about a quarter of an hour; not part of CI.
import { removeTemporaryFolders } from '../support/temporary-folder.ts';
import { compareDeliveries } from './peers/deliveries.ts';
import { compareLanding } from './peers/landing.ts';
import { comparePipeline } from './peers/pipeline.ts';
import { compareServing } from './peers/serving.ts';
import { compareStreaming } from './peers/streaming.ts';
import { attempt } from './peers/python.ts';
import type { BenchRatio, BenchReport } from './report.ts';

type Figures = Readonly<Record<string, number | string>>;

/** Deliveries and streams, each skipped with a line if its peer is not available. */
async function comparePushing(explain: (line: string) => void): Promise<Figures> {
  const deliveries = await attempt('BullMQ', explain, compareDeliveries);
  const figures: Record<string, number | string> = {};
  if (deliveries !== null) {
    figures['bullmq'] = deliveries.versions;
    figures['ours_deliveries_per_cpu_second'] = deliveries.ours;
    figures['bullmq_deliveries_per_cpu_second'] = deliveries.peer;
  }
  for (const name of ['socket.io', 'centrifugo'] as const) {
    const found = await attempt(name, explain, () => compareStreaming(name));
    if (found === null) continue;
    figures[name] = found.versions;
    for (const { clients, ours, peer } of found.rates) {
      figures[`ours_frames_per_cpu_second_${clients}_beside_${name}`] = ours;
      figures[`${name}_frames_per_cpu_second_${clients}`] = peer;
    }
  }
  return figures;
}

export async function bench(): Promise<BenchReport> {
  const notes: string[] = [];
  const explain = (line: string) => void notes.push(line);
  try {
    const pushing = await comparePushing(explain);
    const pipeline = await comparePipeline(explain);
    const serving = await attempt('FastAPI', explain, () => compareServing(explain));
    const landing = await attempt('dlt', explain, () => compareLanding(explain));
    const figures = {
      ...pushing,
      ...pipeline,
      ...(serving && {
        fastapi: serving.versions,
        ours_answers_per_cpu_second: serving.ours,
        fastapi_answers_per_cpu_second: serving.peer,
      }),
      ...(landing && {
        dlt: landing.versions,
        landed_rows: landing.rows,
        ours_rows_per_s: landing.ours,
        dlt_rows_per_s: landing.peer,
      }),
    };
    return { name: 'peers', figures, ratios: ratiosOf(figures), notes };
  } finally {
    removeTemporaryFolders();
  }
}

/** Both sides of each comparison, larger than 1 where ours is faster. */
function ratiosOf(figures: Figures): readonly BenchRatio[] {
  const ratio = (label: string, dividend: string, divisor: string, goal: string): readonly BenchRatio[] => {
    const [above, below] = [figures[dividend], figures[divisor]];
    return typeof above === 'number' && typeof below === 'number'
      ? [{ label, value: above / below, goal }]
      : [];
  };
  const streams = ['socket.io', 'centrifugo'].flatMap((name) =>
    [1_000, 5_000].flatMap((clients) =>
      ratio(
        `frames to ${clients} clients against ${name}`,
        `ours_frames_per_cpu_second_${clients}_beside_${name}`,
        `${name}_frames_per_cpu_second_${clients}`,
        '≥ 1',
      ),
    ),
  );
  return [
    ...ratio(
      'deliveries with a record against BullMQ',
      'ours_deliveries_per_cpu_second',
      'bullmq_deliveries_per_cpu_second',
      '≥ 1',
    ),
    ...streams,
    ...ratio('P13 dbt run against a run in a new process', 'dbt_run_s', 'ours_run_in_a_new_process_s', '≥ 4'),
    ...ratio('P13 dbt run against a tick in a running process', 'dbt_run_s', 'ours_tick_s', '≥ 20'),
    ...ratio('sqlmesh plan against our first run', 'sqlmesh_plan_s', 'ours_first_run_s', '≥ 1'),
    ...ratio('sqlmesh, nothing due, against a tick', 'sqlmesh_nothing_due_s', 'ours_tick_s', '≥ 1'),
    ...ratio(
      'document against FastAPI',
      'ours_answers_per_cpu_second',
      'fastapi_answers_per_cpu_second',
      '≥ 1',
    ),
    ...ratio('CSV rows landed and kept against dlt', 'ours_rows_per_s', 'dlt_rows_per_s', '≥ 1'),
  ];
}
