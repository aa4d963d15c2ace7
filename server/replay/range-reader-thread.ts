// The thread of a range reader. Opens and closes no file: descriptors belong to the whole process.
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { ReadAnswer, ReadTask } from './range-reader.ts';

/** The problem, if a range cannot be read completely. */
function fill({ bytes, start, descriptors, positions, lengths }: ReadTask): string | undefined {
  const target = new Uint8Array(bytes);
  let at = start;
  for (const [index, descriptor] of descriptors.entries()) {
    const [position = 0, length = 0] = [positions[index], lengths[index]];
    for (let filled = 0; filled < length; ) {
      const count = readSync(descriptor, target, at + filled, length - filled, position + filled);
      if (count === 0) return `${filled} of ${length} bytes could be read at ${position}.`;
      filled += count;
    }
    at += length;
  }
  return undefined;
}

function answer(task: ReadTask): ReadAnswer {
  const { number, bytes } = task;
  try {
    const problem = fill(task);
    return { number, bytes, ...(problem !== undefined && { problem }) };
  } catch (error) {
    return { number, bytes, problem: String(error) };
  }
}

parentPort?.on('message', (task: ReadTask) => parentPort?.postMessage(answer(task), [task.bytes]));
