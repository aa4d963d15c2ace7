// The thread in which targets run. The thread that started it can end it when an input does not end, or needs too much memory.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PROJECT } from '../rules/source-tree.ts';
import { BranchCounts } from './branch-counts.ts';
import { fuzz, nameOfInput } from './fuzz-loop.ts';
import { instrumentProduct } from './instrument.ts';
import type { WorkerRequest } from './fuzz-process.ts';

const { targets, seed, seconds, executions, corpus, shared } = workerData as WorkerRequest;
const counts = new BranchCounts();
instrumentProduct(counts);
const { closeTargets, findTargets } = await import('./targets.ts');

/** The number of the execution, the length of the input, and the input. */
const numbers = new Uint32Array(shared, 0, 2);
const bytes = new Uint8Array(shared, 8);

function begin(input: Buffer): void {
  numbers[0] = (numbers[0] ?? 0) + 1;
  numbers[1] = Math.min(input.length, bytes.length);
  bytes.set(input.subarray(0, bytes.length));
}

const inputsIn = (folder: string): Buffer[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .map((name) => readFileSync(join(folder, name)))
    : [];

for (const target of await findTargets(targets)) {
  const folder = corpus === null ? null : join(corpus, target.name);
  const failed = join(PROJECT, 'test/fuzz/inputs', target.name);
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const end = Date.now() + seconds * 1_000;
  parentPort?.postMessage({ target: target.name });
  const report = await fuzz(target, {
    counts,
    seed,
    corpus: [...inputsIn(failed), ...(folder === null ? [] : inputsIn(folder))],
    isEnded: (done) => done >= executions || (done % 64 === 0 && Date.now() >= end),
    begin,
    keep: (input) => folder !== null && writeFileSync(join(folder, nameOfInput(input)), input),
  });
  parentPort?.postMessage({ report });
}
await closeTargets(targets);
// Other handles would keep the thread alive.
parentPort?.postMessage({ isDone: true });
