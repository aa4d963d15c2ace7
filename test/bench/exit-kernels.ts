// The kernel of the exit simulation next to the same loop in C, compiled for the run, and in numpy. C and numpy are left out if the machine
// lacks what they need. Times are CPU milliseconds of one thread.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ExitMarket, type ExitPlan, simulateExit } from '../../models/exit.ts';
import { exitBasis } from '../../models/exit-market.ts';
import { walkTables } from '../../models/history-walk.ts';
import { marketInputs, returnInputs } from '../support/analytics-inputs.ts';

const HOURS = 2_160;
export const KERNEL_PATHS = 20_000;
const PLAN: ExitPlan = {
  position_usd: 2_500_000,
  horizon_hours: 720,
  max_slippage_bps: 100,
  slices: 720,
  seed: 7,
};

export interface KernelRun {
  readonly ms: number;
  /** Proceeds of all paths. */
  readonly proceeds: number;
}

export interface Kernels {
  readonly ours: () => Promise<KernelRun>;
  /** Undefined without a C compiler. */
  readonly c: (() => Promise<KernelRun>) | undefined;
  /** Undefined without numpy. */
  readonly numpy: (() => Promise<KernelRun>) | undefined;
  remove(): void;
}

export function openKernels(): Kernels {
  const dir = mkdtempSync(join(tmpdir(), 'exit-kernels-'));
  const { market } = exitBasis(marketInputs({ hours: HOURS }), returnInputs(HOURS), null);
  if (market === null) throw new Error('The inputs of the benchmark are too short.');
  const tables = join(dir, 'tables');
  writeFileSync(tables, tablesFile(market));
  const program = compiled(dir);
  const python = process.env['PYTHON'] ?? 'python3';
  const script = fileURLToPath(new URL('./exit-kernel.py', import.meta.url));
  return {
    ours: async () => ourRun(market),
    c: program === undefined ? undefined : () => run(program, [tables]),
    numpy: hasNumpy(python) ? () => run(python, [script, tables]) : undefined,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function ourRun(market: ExitMarket): KernelRun {
  const before = process.cpuUsage();
  const paths = simulateExit(market, PLAN, 0, KERNEL_PATHS);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, proceeds: paths.proceeds_usd.reduce((sum, value) => sum + value, 0) };
}

/** The second of two runs in one process: the first fills caches. */
async function run(program: string, args: readonly string[]): Promise<KernelRun> {
  const { stdout } = await promisify(execFile)(program, [...args, String(KERNEL_PATHS), '2']);
  const [ms = Number.NaN, proceeds = Number.NaN] = (stdout.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return { ms, proceeds };
}

function compiled(dir: string): string | undefined {
  const program = join(dir, 'exit-kernel');
  const source = fileURLToPath(new URL('./exit-kernel.c', import.meta.url));
  try {
    execFileSync('cc', ['-O2', '-o', program, source, '-lm'], { stdio: 'ignore' });
    return program;
  } catch {
    return undefined;
  }
}

function hasNumpy(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The input file of exit-kernel.c and exit-kernel.py. */
function tablesFile(market: ExitMarket): Buffer {
  const { supplied_usd: supplied, withdrawable_usd, depth_usd, flow, z, sigma_now } = market;
  const walk = walkTables(market.history, market.block_hours, 5);
  const steps = Float64Array.from({ length: 2 * flow.length }, (_, i) =>
    i % 2 === 0 ? supplied * (flow[i / 2] ?? 0) : 1 + Math.max(-1, (z[(i - 1) / 2] ?? 0) * sigma_now),
  );
  const { position_usd, horizon_hours, slices, max_slippage_bps, seed } = PLAN;
  const due = Float64Array.from({ length: horizon_hours + 1 }, (_, hour) =>
    Math.min(
      position_usd,
      (position_usd * Math.min(slices, Math.floor((hour * slices) / horizon_hours) + 1)) / slices,
    ),
  );
  const reserve = 99 * (depth_usd ?? Number.NaN);
  const share = max_slippage_bps / 10_000;
  const limit = (reserve * share) / (1 - share);
  const head = Float64Array.of(supplied, withdrawable_usd, position_usd, reserve, limit, walk.goesOnBelow);
  const sizes = Int32Array.of(flow.length, horizon_hours, seed, 0);
  const blocks = [head, sizes, steps, due, walk.counts, walk.starts, walk.rows, walk.isLast];
  return Buffer.concat(
    blocks.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}
