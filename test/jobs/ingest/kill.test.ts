import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import type { Ingest } from '../../../jobs/ingest/land.ts';
import { landedSql } from '../../../jobs/engine/duckdb/landed-sql.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { feedOf, turnOf } from './kill-turns.ts';
import { CONTEXT, openScratch, quarantined, roundsCsv, type Scratch } from './scratch.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const KILLS = COUNTS.jobKills;
/** Then another folder is begun, because every kill checks all rows. */
const KILLS_PER_FOLDER = 50;
const T = 1_600_000_000;
const ROUNDS = 2_000;
const GOOD = ROUNDS - 1;
const ROWS = Array.from({ length: ROUNDS }, (_, n) => [n, n === 7 ? 'x' : n, T + n] as const);

interface Kill {
  readonly file: string;
  /** Turn that the process begins with. */
  readonly first: number;
  readonly lines: number;
  readonly delayMs: number;
}

/** Runs the child until it has printed `lines` lines, waits `delayMs` and kills it. Resolves to the turns that it reported as landed. */
async function killed({ dir }: Scratch, { file, first, lines, delayMs }: Kill): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, dir, file, String(first)], {
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
  return [...text.matchAll(/landed (\d+)\n/g)].map((match) => Number(match[1]));
}

/** Number of rows of each feed. */
async function landed({ engine }: Scratch, ingest: Ingest): Promise<Map<string, number>> {
  const rows = await engine.rows(
    `select feed_address as feed, count(*) as n from (${landedSql(feedRound, ingest.files(feedRound.name))}) group by all`,
  );
  return new Map(rows.map(({ feed, n }) => [String(feed), Number(n)]));
}

async function killOften(scratch: Scratch, kills: number): Promise<{ turns: number; compactions: number }> {
  const file = await scratch.file('a.csv', roundsCsv(ROWS));
  const said = new Set<number>();
  let next = 0;
  let compactions = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const when = { lines: 1 + (kill % 7), delayMs: (kill * 37) % 180 };
    for (const turn of await killed(scratch, { file, first: next, ...when })) said.add(turn);
    const ingest = await scratch.reopen();
    const counts = await landed(scratch, ingest);
    expect([...said].filter((turn) => !counts.has(feedOf(turn)))).toEqual([]);
    expect(new Set(counts.values())).toEqual(new Set(counts.size === 0 ? [] : [GOOD]));
    expect(await quarantined(ingest)).toHaveLength(counts.size);
    expect(await readdir(`${scratch.dir}/landing/.tmp`)).toEqual([]);
    compactions += ingest.receipts().filter(({ origin }) => origin.kind === 'compaction').length;
    // Turns land in their order.
    next = counts.size;
    const receipt = await ingest.land(feedRound, ...turnOf(next, file), CONTEXT);
    expect(receipt).toMatchObject({ rows_landed: GOOD, rows_quarantined: 1 });
    next += 1;
  }
  return { turns: next, compactions };
}

test(`after each of ${KILLS} kills every batch is whole or absent, whatever was reported as landed is there, and a rerun lands the rest`, {
  timeout: 7_200_000,
}, async () => {
  let [left, turns, compactions] = [KILLS, 0, 0];
  for (; left > 0; left -= KILLS_PER_FOLDER) {
    const scratch = await openScratch();
    try {
      const made = await killOften(scratch, Math.min(left, KILLS_PER_FOLDER));
      turns += made.turns;
      compactions += made.compactions;
    } finally {
      await scratch.close();
    }
  }
  expect(turns).toBeGreaterThanOrEqual(KILLS);
  if (KILLS > 10) expect(compactions).toBeGreaterThan(KILLS);
  console.log({ kills: KILLS, turns });
});
