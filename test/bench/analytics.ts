// The exit Monte Carlo: its kernel against C and numpy, the default request over HTTP, and what four concurrent runs do to other requests;
// the analysis of a large portfolio, runs of the simulator, and the memory of a worker.
// Rounds are interleaved; medians are compared. ANALYTICS_ROUNDS sets their number, PYTHON the interpreter that has numpy.
import { rm } from 'node:fs/promises';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server/server-fixture.ts';
import { marketInputs, returnInputs } from '../support/analytics-inputs.ts';
import { detectorMs } from './detector-times.ts';
import { type KernelRun, type Kernels, openKernels } from './exit-kernels.ts';
import { type Child, latencies, startChild } from './load.ts';
import { portfolioMs, simulatorMs } from './portfolio-times.ts';
import { type BenchRatio, type BenchReport, median } from './report.ts';
import { workerMemory } from './worker-memory.ts';

const ROUNDS = Number(process.env['ANALYTICS_ROUNDS'] ?? 7);
const REQUESTS = 300;
const LARGE_REQUESTS = 7;
const RUNS_UNDER_WAY = 4;
const READ = '/data/oracle/chainlink/ETH-USD';
const EXIT = `/v2/liquidity/${encodeURIComponent('ethereum:0xm1')}/exit-monte-carlo`;
const HOURS = 2_160;

type Times = Record<keyof Pick<Kernels, 'ours' | 'c' | 'numpy'>, number[]>;

async function kernelTimes(): Promise<Times> {
  const kernels = openKernels();
  const times: Times = { ours: [], c: [], numpy: [] };
  try {
    for (let i = 0; i < 3; i++) await kernels.ours();
    for (let round = 0; round < ROUNDS; round++) {
      const ours = await kernels.ours();
      times.ours.push(ours.ms);
      const c = await kernels.c?.();
      if (c !== undefined) times.c.push(sameSums(c, ours).ms);
      const numpy = await kernels.numpy?.();
      if (numpy !== undefined) times.numpy.push(numpy.ms);
    }
  } finally {
    kernels.remove();
  }
  return times;
}

/** The C program adds in a different order, so the last digits may differ. */
function sameSums(c: KernelRun, ours: KernelRun): KernelRun {
  if (Math.abs(c.proceeds / ours.proceeds - 1) > 1e-12)
    throw new Error(`The C program computes other proceeds: ${c.proceeds}, expected ${ours.proceeds}.`);
  return c;
}

async function publishInputs(fixture: ServerFixture): Promise<void> {
  await fixture.publish([
    ...fixtureDatasets(),
    datasetOf('exit-inputs', [{ key: 'ethereum:0xm1', value: marketInputs({ hours: HOURS }) }]),
    datasetOf('return-inputs', [{ key: 'USDC', value: returnInputs(HOURS) }]),
  ]);
}

let seed = 0;

async function requestMs(child: Child, body: object): Promise<number> {
  const from = performance.now();
  const answer = await fetch(child.url + EXIT, {
    method: 'POST',
    headers: { ...child.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ position_usd: 2_500_000, seed: seed++, ...body }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  return performance.now() - from;
}

const LARGE = { paths: 20_000, horizon_hours: 720, strategy: { twap: { slices: 720 } } };

const percentile = (values: readonly number[], level: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(level * values.length) - 1] ?? Number.NaN;

interface Requests {
  readonly small: readonly number[];
  readonly large: readonly number[];
}

async function requestTimes(child: Child): Promise<Requests> {
  const small: number[] = [];
  const large: number[] = [];
  for (let i = 0; i < 30; i++) await requestMs(child, {});
  for (let i = 0; i < 3; i++) await requestMs(child, LARGE);
  for (let i = 0; i < LARGE_REQUESTS; i++) {
    large.push(await requestMs(child, LARGE));
    for (let j = 0; j < REQUESTS / LARGE_REQUESTS; j++) small.push(await requestMs(child, {}));
  }
  return { small, large };
}

/** p99 of each round, milliseconds. */
interface Reads {
  readonly quiet: number[];
  readonly busy: number[];
}

/** p99 of reads at a low rate, alone and while runs are under way. */
async function readTimes(child: Child): Promise<Reads> {
  const p99 = async () =>
    percentile(await latencies(child, { path: READ, connections: 4, answers: 2_000 }), 0.99);
  const reads: Reads = { quiet: [], busy: [] };
  for (let round = 0; round < ROUNDS; round++) {
    reads.quiet.push(await p99());
    let isOver = false;
    const runs = Array.from({ length: RUNS_UNDER_WAY }, async () => {
      while (!isOver) await requestMs(child, LARGE);
    });
    reads.busy.push(await p99());
    isOver = true;
    await Promise.all(runs);
  }
  return reads;
}

const orNot = (values: readonly number[], what: string): number | string =>
  values.length === 0 ? `not measured: there is no ${what}` : median(values);

function ratios({ ours, c, numpy }: Times, { quiet, busy }: Reads): readonly BenchRatio[] {
  const pairs = (a: readonly number[], b: readonly number[]) =>
    median(a.map((value, i) => value / (b[i] ?? Number.NaN)));
  return [
    ...(c.length === 0 ? [] : [{ label: 'kernel against C', value: pairs(ours, c), goal: '≤ 2.5' }]),
    ...(numpy.length === 0
      ? []
      : [{ label: 'numpy against kernel', value: pairs(numpy, ours), goal: '≥ 2' }]),
    { label: 'p99 of reads during four runs against quiet', value: pairs(busy, quiet), goal: '≤ 2' },
  ];
}

/** Times of the other calculations, milliseconds. */
async function otherTimes() {
  const simulator = await simulatorMs();
  const detectors = await detectorMs(ROUNDS);
  return {
    portfolio_100_positions_ms: median(portfolioMs(ROUNDS)),
    simulator_p50_ms: percentile(simulator, 0.5),
    simulator_p99_ms: percentile(simulator, 0.99),
    detectors_of_markets_ms: median(detectors.markets),
    detectors_of_pegs_ms: median(detectors.pegs),
  };
}

const otherGoals = (times: Awaited<ReturnType<typeof otherTimes>>): readonly BenchRatio[] => [
  { label: 'portfolio of 100 positions, ms', value: times.portfolio_100_positions_ms, goal: '≤ 1500' },
  { label: 'p99 of the simulator, ms', value: times.simulator_p99_ms, goal: '≤ 50' },
  {
    label: 'simulator with events of markets, ms',
    value: times.simulator_p50_ms + times.detectors_of_markets_ms,
    goal: '≤ 500',
  },
  {
    label: 'simulator with events of pegs, ms',
    value: times.simulator_p50_ms + times.detectors_of_pegs_ms,
    goal: '≤ 500',
  },
];

interface ServedTimes {
  readonly requests: Requests;
  readonly reads: Reads;
}

async function servedTimes(): Promise<ServedTimes> {
  const fixture = await ServerFixture.create();
  try {
    await publishInputs(fixture);
    const child = await startChild('ours', fixture.dir);
    try {
      const requests = await requestTimes(child);
      return { requests, reads: await readTimes(child) };
    } finally {
      await child.stop();
    }
  } finally {
    await rm(fixture.dir, { recursive: true, force: true });
  }
}

export async function bench(): Promise<BenchReport> {
  const times = await kernelTimes();
  const others = await otherTimes();
  const memory = await workerMemory();
  const { requests, reads } = await servedTimes();
  const smallP99 = percentile(requests.small, 0.99);
  return {
    name: 'analytics',
    figures: {
      kernel_ms: median(times.ours),
      c_kernel_ms: orNot(times.c, 'C compiler'),
      numpy_kernel_ms: orNot(times.numpy, 'numpy'),
      default_request_p50_ms: percentile(requests.small, 0.5),
      default_request_p99_ms: smallP99,
      request_20000_paths_720_hours_ms: median(requests.large),
      ...others,
      ...memory,
      quiet_reads_p99_ms: median(reads.quiet),
      busy_reads_p99_ms: median(reads.busy),
    },
    ratios: [
      ...ratios(times, reads),
      { label: 'p99 of the default request, ms', value: smallP99, goal: '≤ 15' },
      { label: '20,000 paths × 720 hours, ms', value: median(requests.large), goal: '≤ 200' },
      ...otherGoals(others),
      { label: 'memory of a worker, MiB', value: Math.max(...Object.values(memory)), goal: '≤ 64' },
    ],
  };
}
