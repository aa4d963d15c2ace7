import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { COUNTS } from '../../reliability/counts.ts';
import {
  CONTEXT,
  csv,
  landedRows,
  openScratch,
  quarantined,
  roundsCsv,
  type Scratch,
  SOURCE,
} from './scratch.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const KILLS = COUNTS.jobKills;
const T = 1_600_000_000;
const ROUNDS = 2_000;

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.close());

/** Runs the child until it has printed `lines` lines, waits `delayMs` and kills it. Returns the ids it reported as landed. */
async function killed(
  file: string,
  first: number,
  { lines, delayMs }: { lines: number; delayMs: number },
): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, scratch.dir, file, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve());
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split('\n').length > lines) setTimeout(() => child.kill('SIGKILL'), delayMs);
    });
  });
  expect(child.signalCode).toBe('SIGKILL');
  return [...text.matchAll(/landed (\S+)\n/g)].map((match) => match[1] ?? '');
}

test(`after each of ${KILLS} kills every batch is whole or absent, whatever was reported as landed is there, and a rerun lands the rest`, async () => {
  const rounds = Array.from(
    { length: ROUNDS },
    (_, index) => [index, index === 7 ? 'x' : index, T + index] as const,
  );
  const file = await scratch.file('a.csv', roundsCsv(rounds));
  const said = new Set<string>();
  let next = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    for (const id of await killed(file, next, { lines: 1 + (kill % 4), delayMs: (kill * 37) % 180 }))
      said.add(id);
    const ingest = await scratch.reopen();
    const receipts = ingest.receipts();
    const counts = new Map(receipts.map((receipt) => [receipt.source.id, receipt.rows_landed]));
    for (const id of said) expect(counts.get(id)).toBe(ROUNDS - 1);
    expect([...counts.values()].every((count) => count === ROUNDS - 1)).toBe(true);
    expect(await landedRows({ engine: scratch.engine, ingest })).toHaveLength(counts.size * (ROUNDS - 1));
    expect(await quarantined(ingest)).toHaveLength(counts.size);
    expect(await readdir(`${scratch.dir}/landing/.tmp`)).toEqual([]);
    next = Math.max(-1, ...[...counts.keys()].map((id) => Number(id.slice(1)))) + 1;
    const source = { ...SOURCE, id: `s${next}` };
    expect(await ingest.land(feedRound, source, csv(file), CONTEXT)).toMatchObject({
      rows_landed: ROUNDS - 1,
      rows_quarantined: 1,
    });
    next += 1;
  }
});
