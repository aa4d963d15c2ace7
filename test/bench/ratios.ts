// Whether something has become slower: short forms of P1, P2, P3, P5, P9, P10 and P12, compared with the ratios in expected.json. Each runs
// in a process of its own; what has fallen by more than its noise runs once more. Never fails: a line `SLOWER: …` names what fell twice.
// BENCH_RENEW=1 writes the measured ratios to expected.json.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';
import { againstExpected, type Expected, hasFallen, slowerLines } from './fallen.ts';
import type { BenchRatio, BenchReport } from './report.ts';

const EXPECTED = new URL('./expected.json', import.meta.url);
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

interface Part {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

const PARTS: readonly Part[] = [
  { name: 'serve', settings: { BENCH_ROUNDS: '7', BENCH_ANSWERS: '6000' } },
  { name: 'yields', settings: { BENCH_ROUNDS: '3', BENCH_SECONDS: '1' } },
  { name: 'webhooks', settings: { BENCH_ROUNDS: '3', BENCH_ANSWERS: '3000' } },
  { name: 'land', settings: { BENCH_ROUNDS: '3', BENCH_ROWS: '300000' } },
  { name: 'publish', settings: { BENCH_ROUNDS: '3' } },
  { name: 'cold-start', settings: { BENCH_ROUNDS: '1' } },
];

/** Seconds and ratios to nginx, which not every machine has, depend on the machine. */
const isComparable = ({ label }: BenchRatio): boolean => !/seconds|nginx/.test(label);

async function measured({ name, settings }: Part): Promise<readonly BenchRatio[]> {
  const dataDir = temporaryFolder('ratios');
  const env = { ...process.env, ...settings, DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [RUN, name], { env, maxBuffer: 1e8 });
  const folder = join(dataDir, 'bench', 'results');
  const [file = ''] = readdirSync(folder);
  const { ratios }: BenchReport = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return ratios.filter(isComparable);
}

/** JSON has no NaN. */
const numberOf = (ratio: BenchRatio): BenchRatio => ({ ...ratio, value: ratio.value ?? Number.NaN });

async function compared(part: Part, expected: Expected): Promise<readonly BenchRatio[]> {
  return (await measured(part)).map((ratio) => againstExpected(numberOf(ratio), expected));
}

function renew(ratios: readonly BenchRatio[]): void {
  const values = ratios.map(({ label, value }) => [label, Number(value.toPrecision(3))]);
  writeFileSync(EXPECTED, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`);
}

export async function bench(): Promise<BenchReport> {
  const expected: Expected = JSON.parse(readFileSync(EXPECTED, 'utf8'));
  const ratios: BenchRatio[] = [];
  const notes: string[] = [];
  try {
    for (const part of PARTS) {
      const first = await compared(part, expected);
      ratios.push(...first);
      if (process.env['BENCH_RENEW'] !== '1' && first.some(hasFallen))
        notes.push(...slowerLines(first, await compared(part, expected)));
    }
  } finally {
    removeTemporaryFolders();
  }
  if (process.env['BENCH_RENEW'] === '1') renew(ratios);
  return { name: 'ratios', figures: {}, ratios, notes };
}
