// Reads the events of a page in few reads and joins them into one JSON array without parsing them.
import type { EventIndex, EventPosition } from './event-index.ts';
import type { SegmentFiles } from './segment-files.ts';

/** Events separated by fewer bytes are read together. */
const READ_ACROSS_BYTES = 16_384;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

interface Run {
  readonly position: number;
  end: number;
  readonly positions: EventPosition[];
}

export async function readPage(
  index: EventIndex,
  files: SegmentFiles,
  ordinals: readonly number[],
): Promise<Buffer> {
  const runs = runsOf(ordinals.map((ordinal) => index.position(ordinal)));
  const room = runs.reduce((sum, run) => sum + run.end - run.position, 0);
  const ranges = runs.map(({ position, end }) => ({ position, length: end - position }));
  const bytes = await files.read(ranges, room + ordinals.length + 2);
  return closeUp(bytes, runs, bytes.length - room);
}

function runsOf(positions: readonly EventPosition[]): Run[] {
  const runs: Run[] = [];
  for (const position of positions) {
    const run = runs.at(-1);
    if (run !== undefined && position.position - run.end <= READ_ACROSS_BYTES) {
      run.positions.push(position);
      run.end = position.position + position.length;
    } else {
      runs.push({
        position: position.position,
        end: position.position + position.length,
        positions: [position],
      });
    }
  }
  return runs;
}

/** Moves the events, read to the end of `bytes` from `start` on, to the front, with commas between them. */
function closeUp(bytes: Buffer, runs: readonly Run[], start: number): Buffer {
  let [to, from] = [0, start];
  bytes[to++] = OPEN;
  for (const run of runs) {
    for (const position of run.positions) {
      if (to > 1) bytes[to++] = COMMA;
      const at = from + position.position - run.position;
      bytes.copyWithin(to, at, at + position.length);
      to += position.length;
    }
    from += run.end - run.position;
  }
  bytes[to++] = CLOSE;
  return bytes.subarray(0, to);
}
