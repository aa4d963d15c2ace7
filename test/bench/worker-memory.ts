// Memory of one worker of the analytics while it performs the largest requests that are allowed: its heap and its buffers, MiB at the peak.
import { sharesOf } from '../../models/exit-parts.ts';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { WORKER_LIMITS } from '../../server/analytics/pool-worker.ts';
import type { TaskMessage, WorkerMessage } from '../../server/analytics/task.ts';
import { marketInputs, returnInputs } from '../support/analytics-inputs.ts';
import { largePortfolio } from './portfolio-times.ts';

const SCRIPT = new URL('../../server/analytics/worker.ts', import.meta.url);
const MIB = 1_024 * 1_024;
const EVERY_MS = 2;

interface Asked {
  readonly kind: string;
  readonly payload: unknown;
  readonly documents: Readonly<Record<string, unknown>>;
}

/** As the pool sends it: every document is new to the worker. */
function messageOf({ kind, payload, documents }: Asked): TaskMessage {
  const names = Object.keys(documents);
  return {
    ...{ kind, payload, dropped: [] },
    documents: Object.fromEntries(names.map((name) => [name, name])),
    added: names.map((name) => ({ hash: name, bytes: Buffer.from(JSON.stringify(documents[name])) })),
  };
}

async function peakOf(asked: Asked): Promise<number> {
  const worker = new Worker(SCRIPT, { resourceLimits: WORKER_LIMITS });
  await once(worker, 'message');
  let peak = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const { total_heap_size, external_memory } = await worker.getHeapStatistics();
      peak = Math.max(peak, total_heap_size + external_memory);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const watched = watch();
  worker.postMessage(messageOf(asked));
  await once(worker, 'message');
  const [answer] = (await once(worker, 'message')) as [WorkerMessage];
  isOver = true;
  await watched;
  await worker.terminate();
  if (answer.state !== 'done') throw new Error(`The worker failed: ${JSON.stringify(answer)}`);
  return peak / MIB;
}

/** The exit of most paths and hours, and portfolios of most positions, paths and days in 30 and in 100 symbols. */
export async function workerMemory() {
  const order = {
    ...{ position_usd: 2_500_000, horizon_hours: 720, paths: 20_000, max_slippage_bps: 100, slices: 720 },
    ...{ confidence: [0.5, 0.9, 0.95, 0.999], seed: 7, initial_utilization: null },
  };
  const [wholeShare] = sharesOf(order, 1);
  const documents = { exit: marketInputs({ hours: 2_160 }), returns: returnInputs(2_160) };
  const payload = { order, pooled: null, calibration: null, paths: wholeShare };
  const portfolio = (symbols: number) => {
    const { question, documents } = largePortfolio({ symbols, paths: 20_000 });
    return peakOf({ kind: 'portfolio', payload: question, documents });
  };
  return {
    worker_exit_mib: await peakOf({ kind: 'exit.figures', payload, documents }),
    worker_portfolio_30_symbols_mib: await portfolio(30),
    worker_portfolio_100_symbols_mib: await portfolio(100),
  };
}
