// Repeatedly kills a publishing process at random instants while readers read. Returns what the readers saw.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { verifyFolder } from '../../../snapshots/verify.ts';
import { seededRandom } from '../support/corrupt.ts';
import { PagingReader } from './paging-reader.ts';
import { storeAt } from './upload.ts';

const PUBLISHER = fileURLToPath(new URL('publisher.ts', import.meta.url));
const MAX_DELAY_MS = 20;

export interface KillFigures {
  readonly kills: number;
  readonly reads: number;
  readonly versionsSeen: number;
  readonly lastTick: number;
  /** Highest tick whose publication has returned. */
  readonly acknowledged: number;
  readonly faults: readonly string[];
  readonly keys: readonly string[];
  readonly ids: readonly string[];
}

export async function killPublisher(
  location: string,
  counts: { kills: number; reads: number },
): Promise<KillFigures> {
  const store = await storeAt(location);
  const reader = new PagingReader(store);
  const random = seededRandom(11);
  let acknowledged = 0;
  let kills = 0;
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      await reader.look();
      await delay(0);
    }
  })();
  while (kills < counts.kills || reader.reads < counts.reads) {
    acknowledged = Math.max(acknowledged, await killOnce(location, random));
    kills++;
  }
  isOver = true;
  await reading;
  acknowledged = Math.max(acknowledged, await finish(location));
  const faults = [
    ...reader.faults,
    ...(await verifyFolder(store)).map(({ file, problem }) => `${file}: ${problem}`),
  ];
  for (let before = -1; before !== reader.ids.length; ) {
    before = reader.ids.length;
    await reader.look();
  }
  const { reads, versionsSeen, lastTick, keys, ids } = reader;
  return { kills, reads, versionsSeen, lastTick, acknowledged, faults, keys, ids };
}

/** Starts a publisher and kills it some publications and milliseconds later; returns the last tick it acknowledged. */
async function killOnce(location: string, random: () => number): Promise<number> {
  const child = start(location, 'Infinity');
  const publications = Math.floor(random() * 4);
  let last = 0;
  let count = 0;
  if (publications > 0)
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (++count === publications) break;
    }
  await delay(random() * (publications === 0 ? 10 * MAX_DELAY_MS : MAX_DELAY_MS));
  await ended(child);
  return last;
}

async function finish(location: string): Promise<number> {
  const child = start(location, '1');
  let last = 0;
  for await (const line of createInterface({ input: child.stdout })) last = Number(line);
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0)
    throw new Error(`The publisher failed after the kills with code ${child.exitCode}.`);
  return last;
}

const start = (location: string, atMost: string) =>
  spawn(process.execPath, [PUBLISHER, location, atMost], { stdio: ['ignore', 'pipe', 'inherit'] });

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`The publisher failed by itself with code ${child.exitCode}.`);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
