// Reads ranges of open files one after the other, without a return to the event loop in between.
import { readSync } from 'node:fs';

/** Ranges of files, as columns, and where their bytes go: one after the other, from `start` on. */
export interface RangeTask {
  readonly bytes: ArrayBuffer;
  readonly start: number;
  readonly descriptors: Float64Array;
  readonly positions: Float64Array;
  readonly lengths: Float64Array;
}

/** Number of ranges that were read before `isOver`. @throws if one cannot be read completely */
export function fillRanges(task: RangeTask, isOver: () => boolean = () => false): number {
  const { bytes, start, descriptors, positions, lengths } = task;
  const target = new Uint8Array(bytes);
  let at = start;
  for (const [number, descriptor] of descriptors.entries()) {
    if (isOver()) return number;
    const [position = 0, length = 0] = [positions[number], lengths[number]];
    for (let filled = 0; filled < length; ) {
      const count = readSync(descriptor, target, at + filled, length - filled, position + filled);
      if (count === 0) throw new Error(`${filled} of ${length} bytes could be read at ${position}.`);
      filled += count;
    }
    at += length;
  }
  return descriptors.length;
}
