// Starts the thread of the targets and watches it: an input that does not end, uses up the memory or ends the thread is a finding.
import { Worker } from 'node:worker_threads';
import type { Finding, FuzzReport } from './fuzz-loop.ts';

export interface FuzzRequest {
  /** Names of targets or areas; none means all. */
  readonly targets: readonly string[];
  readonly seed: number;
  /** For each target: whichever comes first. */
  readonly seconds: number;
  readonly executions: number;
  /** Folder with the inputs of earlier runs; null if they are not used. */
  readonly corpus: string | null;
}

export interface WorkerRequest extends FuzzRequest {
  readonly shared: SharedArrayBuffer;
}

const MEMORY_MB = 512;
const MAX_INPUT = 1 << 20;
const CHECK_MS = 5_000;
/** A single input that takes this long: branches are counted, but native code, such as a pattern, has none. */
const STUCK_MS = 60_000;

/** Reports of the targets, and findings that ended the thread. */
export async function fuzzInThread(
  request: FuzzRequest,
  notice: (report: FuzzReport) => void = () => {},
): Promise<{ readonly reports: readonly FuzzReport[]; readonly findings: readonly Finding[] }> {
  const shared = new SharedArrayBuffer(8 + MAX_INPUT);
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
    workerData: { ...request, shared } satisfies WorkerRequest,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const reports: FuzzReport[] = [];
  let target = '';
  worker.on('message', (message: { readonly target?: string; readonly report?: FuzzReport }) => {
    if (message.target !== undefined) target = message.target;
    if (message.report === undefined) return;
    const report = { ...message.report, findings: message.report.findings.map(withBuffer) };
    reports.push(report);
    notice(report);
  });
  const ended = await endOf(worker, shared);
  await worker.terminate();
  const fatal = ended === null ? [] : [{ target, problem: ended, input: lastInput(shared) }];
  return { reports, findings: [...reports.flatMap(({ findings }) => findings), ...fatal] };
}

/** Messages between threads carry plain arrays of bytes. */
const withBuffer = (finding: Finding): Finding => ({ ...finding, input: Buffer.from(finding.input) });

const lastInput = (shared: SharedArrayBuffer): Buffer =>
  Buffer.from(new Uint8Array(shared, 8, new Uint32Array(shared, 0, 2)[1]).slice());

/** Null when the thread has done its work, otherwise why it ended. */
function endOf(worker: Worker, shared: SharedArrayBuffer): Promise<string | null> {
  return new Promise((resolve) => {
    const numbers = new Uint32Array(shared, 0, 2);
    let [last, since] = [-1, Date.now()];
    const timer = setInterval(() => {
      const current = numbers[0] ?? 0;
      if (current !== last) [last, since] = [current, Date.now()];
      if (current === 0 || Date.now() - since < STUCK_MS) return;
      settle(`does not end within ${STUCK_MS / 1_000} s`);
    }, CHECK_MS);
    const settle = (reason: string | null) => {
      clearInterval(timer);
      resolve(reason);
    };
    worker.on('message', ({ isDone }: { readonly isDone?: boolean }) => {
      if (isDone === true) settle(null);
    });
    worker.once('error', (error) => settle(`ends the thread: ${String(error)}`));
    worker.once('exit', (code) => settle(code === 0 ? null : `ends the thread with code ${code}`));
  });
}
