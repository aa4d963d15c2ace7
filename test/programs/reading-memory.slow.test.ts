// The memory of one reading is bounded over all its pages, measured on the program itself: 90 MB in pages, within and beyond what a source
// may take.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { replayServer } from '../jobs/sources/live/http/replay-server.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

const PAGES = 45;
const PAGE_ROWS = 10_000;
const MB = 1_000_000;
/** Measured: 511 MB for all pages, and 271 MB where reading stops after 20 MB. */
const MAX_RESIDENT = 900 * MB;

const AT = Math.floor(Date.now() / 1000) - 600;
const padding = 'x'.repeat(150);
const pageOf = (page: number) =>
  JSON.stringify({
    rows: Array.from({ length: PAGE_ROWS }, (_, row) => ({
      name: `p${page}-${row}`,
      at: AT,
      usd: 5,
      padding,
    })),
    next: page < PAGES ? `after ${page}` : null,
  });
const server = await replayServer(({ path }) => {
  const page = 1 + Number(/after[+ ](\d+)/.exec(decodeURIComponent(path))?.[1] ?? 0);
  return { headers: { 'content-type': 'application/json' }, body: pageOf(page) };
});
afterAll(() => server.close());

interface Fetched {
  readonly code: number | null;
  readonly out: string;
  /** Largest resident memory, bytes. */
  readonly resident: number;
}

async function fetchedWith(guards: object): Promise<Fetched> {
  const dir = temporaryFolder('reading-memory');
  const source = {
    table: 'tvl_reading',
    name: 'Large',
    every: '1h',
    request: { url: 'https://api.example/rows', query: { cursor: '{cursor}' } },
    pager: { kind: 'cursor', next: 'next', max_pages: PAGES + 1 },
    records: 'rows',
    guards,
    fields: { protocol: 'name', observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
  };
  const hosts = {
    'api.example': { address: server.address, requests_per_minute: 6_000, bytes_per_day: 1e9 },
  };
  writeFileSync(
    join(dir, 'my.json'),
    JSON.stringify({ profile: 'files', sources: { large: source }, hosts }),
  );
  const entry = fileURLToPath(new URL('../../jobs/main.ts', import.meta.url));
  const args = [entry, 'fetch', '--config', 'my.json', '--data-dir', 'var'];
  const child = spawn(process.execPath, args, { cwd: dir, env: bareEnvironment() });
  let [out, resident] = ['', 0];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk));
  const measuring = setInterval(() => {
    resident = Math.max(resident, residentOf(child.pid ?? 0));
  }, 20);
  const [code] = await once(child, 'close');
  clearInterval(measuring);
  return { code, out, resident };
}

/** Peak so far; 0 once the process has ended. */
function residentOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

test.runIf(process.platform === 'linux')('90 MB in pages are read within bounds of memory', async () => {
  const { code, out, resident } = await fetchedWith({ max_total_bytes: 120 * MB });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`${PAGES * PAGE_ROWS} records`) });
  expect(resident).toBeGreaterThan(90 * MB);
  expect(resident).toBeLessThan(MAX_RESIDENT);
});

test.runIf(process.platform === 'linux')(
  'beyond its limit a reading stops early and says which one',
  async () => {
    const before = server.asked.length;
    const { code, out, resident } = await fetchedWith({ max_total_bytes: 20 * MB });
    expect({ code, out }).toEqual({ code: 4, out: expect.stringContaining('guards.max_total_bytes') });
    expect(server.asked.length - before).toBeLessThan(15);
    expect(resident).toBeLessThan(MAX_RESIDENT / 2);
  },
);
