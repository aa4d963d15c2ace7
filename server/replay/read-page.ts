// Reads the events of a page in few reads and joins them into one JSON array without parsing them.
import type { EventIndex, EventPlace } from './event-index.ts';
import type { SegmentFiles } from './segment-files.ts';

/** Events separated by fewer bytes are read together. */
const READ_ACROSS_BYTES = 16_384;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

interface Run {
  readonly position: number;
  end: number;
  readonly places: EventPlace[];
}

export async function readPage(
  index: EventIndex,
  files: SegmentFiles,
  ordinals: readonly number[],
): Promise<Buffer> {
  const runs = runsOf(ordinals.map((ordinal) => index.place(ordinal)));
  const room = runs.reduce((sum, run) => sum + run.end - run.position, 0);
  const bytes = Buffer.allocUnsafe(room + ordinals.length + 2);
  let start = bytes.length;
  await Promise.all(
    runs.toReversed().map((run) => {
      start -= run.end - run.position;
      return files.read(run.position, bytes.subarray(start, start + run.end - run.position));
    }),
  );
  return closeUp(bytes, runs, start);
}

function runsOf(places: readonly EventPlace[]): Run[] {
  const runs: Run[] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run !== undefined && place.position - run.end <= READ_ACROSS_BYTES) {
      run.places.push(place);
      run.end = place.position + place.length;
    } else {
      runs.push({ position: place.position, end: place.position + place.length, places: [place] });
    }
  }
  return runs;
}

/** Moves the events, read to the end of `bytes` from `start` on, to the front, with commas between them. */
function closeUp(bytes: Buffer, runs: readonly Run[], start: number): Buffer {
  let [to, from] = [0, start];
  bytes[to++] = OPEN;
  for (const run of runs) {
    for (const place of run.places) {
      if (to > 1) bytes[to++] = COMMA;
      const at = from + place.position - run.position;
      bytes.copyWithin(to, at, at + place.length);
      to += place.length;
    }
    from += run.end - run.position;
  }
  bytes[to++] = CLOSE;
  return bytes.subarray(0, to);
}
