// The thread of a range reader. Opens and closes no file: descriptors belong to the whole process.
import { parentPort } from 'node:worker_threads';
import { fillRanges } from './fill-ranges.ts';
import type { ReadAnswer, ReadTask } from './range-reader.ts';

function answer(task: ReadTask): ReadAnswer {
  const { number, bytes } = task;
  try {
    fillRanges(task);
    return { number, bytes };
  } catch (error) {
    return { number, bytes, problem: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (task: ReadTask) => parentPort?.postMessage(answer(task), [task.bytes]));
