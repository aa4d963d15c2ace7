// Every command and every flag of every program runs here as a process, in new folders, as a user types it. The last test compares what ran
// with what the programs declare, both ways: a new command or flag fails it until it runs here.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Minio, minioProgram, startMinio } from '../support/minio.ts';
import { postgresPrograms, startCluster } from '../support/postgres-cluster.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { json, type ReplayServer, replayServer } from '../jobs/sources/live/http/replay-server.ts';
import { type ProgramResult, ProgramRuns } from './run-program.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number): string => new Date(ms - (ms % 1000)).toISOString().replace('.000Z', 'Z');
const day = (ms: number): string => iso(ms).slice(0, 10);

// Each test starts several programs, of which each computes every family.
vi.setConfig({ testTimeout: 300_000 });

const nowMs = Date.now();
let runs: ProgramRuns;
let dir: string;
beforeAll(() => {
  dir = temporaryFolder('programs');
  const settings = ['--data-dir', join(dir, 'var'), '--demo-days', '2'];
  runs = new ProgramRuns({ cwd: dir, settings });
});

/** Ended with 0, no line of its messages reports a failure, and it printed what a user expects. */
function expectDone({ code, out, err }: ProgramResult, pattern: RegExp | string): void {
  expect({ code, err: err.split('\n').filter((line) => /\b(?:error|fatal|failed)\b/i.test(line)) }).toEqual({
    code: 0,
    err: [],
  });
  expect(out + err).toMatch(pattern);
}

const linesOf = (out: string): readonly unknown[] =>
  out
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function jobs(command: string, ...args: readonly string[]): Promise<ProgramResult> {
  return runs.run('jobs', command, ...args);
}

describe('a demo folder', () => {
  test('run lands, computes and publishes up to an instant, and up to now', async () => {
    expectDone(await jobs('run', '--as-of', iso(nowMs - HOUR_MS)), 'appended events');
    expectDone(await jobs('run'), '"version":"01');
  });

  test('status prints the version, and as JSON', async () => {
    expectDone(await jobs('status'), /^Version 01[0-9A-Z]{24}/);
    const { code, out } = await jobs('status', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ version: expect.stringMatching(/^01/), faults: [] });
  });

  test('verify finds every file intact', async () => {
    expectDone(await jobs('verify'), 'all landed files are intact');
  });

  test('diff compares the last two versions, and two that are named', async () => {
    const last = await jobs('diff');
    expectDone(last, /./);
    const versions = readdirSync(join(dir, 'var/snapshots/versions')).sort();
    const [from = '', to = ''] = [versions.at(0), versions.at(-1)];
    expectDone(await jobs('diff', from, to), /./);
  });

  test('tables lists raw tables, or describes one', async () => {
    expectDone(await jobs('tables'), 'feed_round');
    const { code, out } = await jobs('tables', 'feed_round', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'feed_round', key: ['chain', 'feed_address', 'round_id'] });
    expectDone(await jobs('tables', '--json'), 'feed_round');
  });

  test('quarantine lists the refused rows and redrives one batch', async () => {
    expectDone(await jobs('quarantine list'), 'demo-rounds record');
    const { out } = await jobs('quarantine list', '--json');
    const [row] = linesOf(out);
    expect(row).toMatchObject({ table: 'feed_round', source: 'demo-rounds' });
    const { batch } = row as { readonly batch: string };
    expectDone(await jobs('quarantine redrive', '--batch', batch), 'redriven');
  });

  test('lost+found lists what was set aside, and returns it', async () => {
    expectDone(await jobs('lost+found list'), 'No file was set aside.');
    expect(await jobs('lost+found list', '--json')).toMatchObject({ code: 0, out: '' });
    expectDone(await jobs('lost+found adopt'), 'No file was set aside.');
  });

  test('events prints the log, or part of it', async () => {
    const between = ['--from', day(nowMs - 3 * DAY_MS), '--to', day(nowMs + DAY_MS)];
    const { code, out } = await jobs('events', '--type', 'peg.depeg.start', ...between, '--json');
    expect(code).toBe(0);
    const events = linesOf(out);
    expect(events.length).toBeGreaterThan(0);
    const { subject_id } = events[0] as { readonly subject_id: string };
    expectDone(await jobs('events', '--subject', subject_id), subject_id);
  });

  test('detect prints what another policy would have fired', async () => {
    const between = ['--from', iso(nowMs - 2 * DAY_MS), '--to', iso(nowMs - HOUR_MS)];
    const change = ['--set', 'anomaly.tvl_change=0.05'];
    const { code, out } = await jobs('detect', '--type', 'risk.anomaly', ...between, ...change, '--json');
    expect(code).toBe(0);
    const lines = linesOf(out);
    expect(lines.at(-1)).toMatchObject({ summary: { type: 'risk.anomaly', would_fire: lines.length - 1 } });
    for (const line of lines.slice(0, -1)) expect(line).toMatchObject({ event: { type: 'risk.anomaly' } });
    expectDone(await jobs('detect', '--type', 'risk.anomaly', ...between), 'risk.anomaly');
  });

  test('backtest publishes again', async () => {
    expectDone(await jobs('backtest'), 'backtested');
  });

  test.each(['jobs', 'server'] as const)('%s export writes the mirror and says how much', async (program) => {
    const out = join(dir, `mirror-${program}`);
    expectDone(
      await runs.run(program, 'export', '--out', out),
      /\d+ files, \d+ written, 0 removed; only open/,
    );
    expect(existsSync(join(out, 'SHA256SUMS'))).toBe(true);
    expectDone(
      await runs.run(program, 'export', '--out', out, '--plan', 'team'),
      'for higher plans than team',
    );
  });

  test('schedule runs on its tick until stopped', async () => {
    const { code, out, err } = await runs.runUntil(
      (output) => output.includes('"msg":"tick done"'),
      'jobs',
      'schedule',
      '--tick-cron',
      '* * * * *',
      '--tick-seconds',
      '60',
    );
    expect({ code, isPublished: /"version":"01/.test(out + err) }).toEqual({ code: 0, isPublished: true });
  });

  test('what-if serves simulated hours until stopped', async () => {
    const { code, out, err } = await runs.runUntil(
      (output) => output.includes('ready for what-if questions'),
      'jobs',
      'what-if',
    );
    expect(code).toBe(0);
    expect(out + err).not.toMatch(/"level":"(warn|error|fatal)"/);
  });

  test('the server serves until stopped', async () => {
    const { code, out } = await runs.runUntil(
      (output) => /listening/.test(output),
      'server',
      'serve',
      '--port',
      '0',
      '--metrics-port',
      '0',
    );
    expect({ code, isListening: out.includes('"msg":"listening"') }).toEqual({ code: 0, isListening: true });
  });

  test('retract withdraws what was published after an instant', async () => {
    expectDone(await jobs('retract', '--to', iso(nowMs - HOUR_MS / 2)), /./);
    expectDone(await jobs('run'), '"version":"01');
  });
});

test('npm start publishes, serves and stops', async () => {
  const flags = ['--port', '0', '--metrics-port', '0', '--data-dir', join(dir, 'started')];
  const { code, out } = await runs.runUntil(
    (output) => /curl http:\/\/[^ ]+\/v2\/data-manifest/.test(output),
    'start',
    'start',
    ...flags,
  );
  expect(code).toBe(0);
  expect(out).toMatch(/rk_live_/);
});

describe('keys', () => {
  const keys = (command: string, ...args: readonly string[]) => runs.run('keys', command, ...args);
  const created = async (...args: readonly string[]): Promise<string> => {
    const { code, out } = await keys('create', '--org', 'acme', ...args, '--json');
    expect(code).toBe(0);
    return (JSON.parse(out) as { readonly id: string }).id;
  };

  test('create, list, show, rotate and revoke', async () => {
    const id = await created('--plan', 'team', '--scopes', 'events:read', '--expires', '90d');
    await created(
      ...['--plan', 'custom', '--requests-per-minute', '50', '--replay-window-days', '365'],
      ...['--stream-connections', '3', '--webhook-subscriptions', '4'],
      ...['--monte-carlo-runs-per-month', '5', '--simulator-runs-per-month', '6'],
    );
    const { out } = await keys('list', '--org', 'acme', '--json');
    expect(JSON.parse(out)).toHaveLength(2);
    expectDone(await keys('list'), id);
    expectDone(await keys('show', id), /events:read/);
    expectDone(await keys('show', id, '--json'), id);
    const rotated = await keys('rotate', id, '--overlap', '1h', '--expires', 'never', '--json');
    expect(rotated.code).toBe(0);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, out: `The key ${id} is revoked.\n` });
    expectDone(await keys('revoke', (JSON.parse(rotated.out) as { id: string }).id, '--json'), 'revoked');
  });

  test('audit prints the log, verifies it, and accepts a store', async () => {
    expectDone(await keys('audit'), 'key.create');
    expect(linesOf((await keys('audit', '--json')).out).length).toBeGreaterThan(0);
    expectDone(await keys('audit', '--verify'), /./);
    expectDone(await keys('audit', '--accept'), /./);
  });
});

describe('a fetched source', () => {
  let config: string;
  let server: ReplayServer;
  beforeAll(async () => {
    server = await replayServer(() => json([{ at: Math.floor(nowMs / 1000) - 600, usd: '5' }]));
    afterAll(() => server.close());
    config = join(dir, 'live.json');
    const tvl = {
      table: 'tvl_reading',
      name: 'Values',
      every: '1h',
      request: { url: 'https://api.example/x', query: { from: '{window_from_s}', to: '{window_to_s}' } },
      window: { history: '2d', step: '1d', overlap: '10m' },
      records: '',
      fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
    };
    const hosts = { 'api.example': { address: server.address, requests_per_minute: 6_000 } };
    writeFileSync(config, JSON.stringify({ profile: 'files', sources: { tvl }, hosts }));
  });
  const fetched = (folder = 'live') => ['--config', config, '--data-dir', join(dir, folder)];

  test('sources check reads it once, fetch keeps what is due, sources list shows it', async () => {
    expectDone(await jobs('sources check', 'tvl', ...fetched()), /./);
    const { code, out } = await jobs('sources check', 'tvl', '--json', ...fetched());
    expect(code).toBe(0);
    expect(() => JSON.parse(out)).not.toThrow();
    const past = ['--from', day(nowMs - 4 * DAY_MS), '--to', day(nowMs - 3 * DAY_MS)];
    expectDone(await jobs('fetch', '--source', 'tvl', ...past, ...fetched()), /./);
    expectDone(await jobs('fetch', ...fetched()), /./);
    expectDone(await jobs('sources list', ...fetched()), 'tvl');
    expect(linesOf((await jobs('sources list', '--json', ...fetched())).out)).toEqual([
      expect.objectContaining({ id: 'tvl' }),
    ]);
  });

  test('fetch --watch keeps fetching until stopped', async () => {
    const askedBefore = server.asked.length;
    const { code } = await runs.runUntil(
      () => server.asked.length > askedBefore,
      'jobs',
      'fetch',
      '--watch',
      ...fetched('watched'),
    );
    expect(code).toBe(0);
  });
});

describe('a source that was mapped wrong', () => {
  const HOURS = 48;
  const mapping = (more: object) => ({
    table: 'tvl_reading',
    path: 'tvl.csv',
    format: 'csv',
    name: 'Values',
    fields: {
      protocol: { value: 'p' },
      observed_at: { from: 'at', time: 'unix_s' },
      tvl_usd: { from: 'usd', ...more },
    },
  });
  const mapped = (more: object) => {
    const config = join(dir, 'mapped.json');
    writeFileSync(config, JSON.stringify({ profile: 'files', sources: { tvl: mapping(more) } }));
    return ['--config', config, '--data-dir', join(dir, 'mapped')];
  };

  test('reland puts the rows of the corrected mapping in the place of the wrong ones, also after a run read both', async () => {
    const hours = Array.from(
      { length: HOURS },
      (_, hour) => Math.floor(nowMs / 1_000) - 3_600 * (HOURS - hour),
    );
    const lines = hours.map((at, hour) => `${at},${5_000_000 + hour}`);
    writeFileSync(join(dir, 'tvl.csv'), ['at,usd', ...lines].join('\n'));
    expectDone(await jobs('run', ...mapped({ scale: 1_000 })), 'done');
    const right = mapped({});
    expectDone(await jobs('run', ...right), 'reland --source tvl');
    const between = ['--from', day(nowMs - 3 * DAY_MS), '--to', day(nowMs + DAY_MS)];
    const planned = await jobs('reland', '--source', 'tvl', '--dry-run', ...between, ...right);
    expectDone(planned, 'tvl: 0 rows added, 48 superseded, 48 unchanged, 0 refused\nNothing was written.');
    expectDone(await jobs('reland', '--source', 'tvl', ...right), '48 superseded');
    expectDone(await jobs('verify', ...right), 'all landed files are intact');
    const { err } = await jobs('run', ...right);
    expect(err).not.toContain('another mapping');
  });

  test('rebuild publishes again', async () => {
    expectDone(await jobs('rebuild', ...mapped({})), '"version":"01');
  });

  test('backfill walks an interval in steps', async () => {
    const walk = ['--from', iso(nowMs - DAY_MS), '--to', iso(nowMs - HOUR_MS), '--step', '12h'];
    const walked = await jobs('backfill', ...walk, ...mapped({}), '--data-dir', join(dir, 'walked'));
    expectDone(walked, 'backfill done');
    expect(walked.err.match(/backfill done/g)).toHaveLength(2);
  });

  test('drop leaves the rows of a source out', async () => {
    const right = mapped({});
    const between = ['--from', day(nowMs - 3 * DAY_MS), '--to', day(nowMs + DAY_MS)];
    const planned = await jobs('drop', '--source', 'tvl', '--dry-run', ...between, ...right);
    expectDone(planned, '0 rows added, 48 superseded, 0 unchanged');
    expectDone(await jobs('drop', '--source', 'tvl', ...right), '48 superseded');
    expectDone(await jobs('verify', ...right), 'all landed files are intact');
  });
});

describe('stores of several machines', () => {
  test.runIf(minioProgram() !== undefined)('copy moves landing and versions to buckets', async () => {
    const minio: Minio = await startMinio();
    onTestFinished(() => minio.stop());
    const inBuckets = new ProgramRuns({ cwd: dir, env: minio.env, settings: [] });
    const folder = ['--data-dir', join(dir, 'var'), '--demo-days', '2'];
    const to = (name: string) => `s3://${minio.bucket}/${name}`;
    const copied = await inBuckets.run(
      ...(['jobs', 'copy', '--to-data', to('data'), '--to-snapshots', to('versions')] as const),
      ...['--s3-endpoint', minio.endpoint],
      ...folder,
    );
    expectDone(copied, /./);
  });

  test('copy to a bucket that cannot be reached ends with 1 and says so', async () => {
    const to = ['--to-data', 's3://nowhere/data', '--to-snapshots', 's3://nowhere/versions'];
    const { code, err } = await jobs('copy', ...to, '--s3-endpoint', 'http://127.0.0.1:1');
    expect(code).not.toBe(0);
    expect(err).toMatch(/./);
  });

  test.runIf(postgresPrograms() !== undefined)('copy-store moves the ops store to PostgreSQL', async () => {
    const cluster = await startCluster([]);
    if (cluster === undefined) throw new Error('PostgreSQL did not start.');
    onTestFinished(() => cluster.stop());
    expectDone(await runs.run('server', 'copy-store', '--to', cluster.url), 'Copied and compared');
  });

  test('copy-store to a database that cannot be reached ends with 1 and says so', async () => {
    const { code, err } = await runs.run('server', 'copy-store', '--to', 'postgres://risk@127.0.0.1:1/risk');
    expect(code).toBe(1);
    expect(err).toMatch(/./);
  });
});

test('every command and flag ran', () => {
  // Those of operators run in test/operations/.
  expect(runs.missing().filter((entry) => !/^(backup|restore|doctor) /.test(entry))).toEqual([]);
});
