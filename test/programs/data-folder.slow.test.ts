// What a data folder remembers, with the programs as a user starts them: a command that does not fit is refused before it does anything,
// and names the command that does.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { minioProgram, startMinio } from '../support/minio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ProgramResult, ProgramRuns } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Math.floor(Date.now() / 1000);
const ROWS = ['at,usd', ...[3, 2, 1].map((hour) => `${NOW - hour * 3_600},${5_000_000 + hour}`)].join('\n');
const source = (more: object = {}) => ({
  table: 'tvl_reading',
  path: 'tvl.csv',
  format: 'csv',
  name: 'Values',
  fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
  ...more,
});

let dir: string;
/** A folder that was written with my.json. Its copies differ from it as a folder does that was moved with its configuration. */
let landed: string;
beforeAll(async () => {
  landed = begin();
  expect((await run('--config', 'my.json')).code).toBe(0);
});
beforeEach(() => {
  begin();
});

function begin(): string {
  dir = temporaryFolder('data-folder');
  writeFileSync(join(dir, 'tvl.csv'), ROWS);
  writeConfig('my.json', { profile: 'files', sources: { tvl: source() } });
  return dir;
}

const copyLanded = () => cpSync(join(landed, 'mine'), join(dir, 'mine'), { recursive: true });

const writeConfig = (name: string, config: object) => writeFileSync(join(dir, name), JSON.stringify(config));
const programs = (cwd = dir, env: NodeJS.ProcessEnv = {}) => new ProgramRuns({ cwd, env, settings: [] });
const run = (...args: readonly string[]) => programs().run('jobs', 'run', '--data-dir', 'mine', ...args);
const landedTables = (folder = join(dir, 'mine')) => readdirSync(join(folder, 'landing')).sort();
const remembered = (folder = join(dir, 'mine')) =>
  JSON.parse(readFileSync(join(folder, 'installation.json'), 'utf8'));

function expectRefused({ code, out, err }: ProgramResult, ...texts: readonly string[]): void {
  expect({ code, out }).toEqual({ code: 2, out: '' });
  for (const text of texts) expect(err).toContain(text);
  expect(err).toContain('Nothing was done.');
}

describe('a folder that is written with a configuration file', () => {
  test('is refused without it, by every command and npm start, which name the command to use', async () => {
    copyLanded();
    const before = landedTables();
    const { config } = remembered();
    expect(config.paths[0]).toEqual({ absolute: join(landed, 'my.json'), from_folder: '../my.json' });
    const refused = async (...[program, command, ...args]: Parameters<ProgramRuns['run']>) =>
      programs().run(program, command, '--data-dir', 'mine', ...args);
    const way = (start: string) => `To go on with that data: ${start} --data-dir mine --config my.json`;
    expectRefused(await refused('jobs', 'run'), 'profile files', 'profile demo', way('npm run jobs -- run'));
    expectRefused(await refused('jobs', 'schedule'), way('npm run jobs -- schedule'));
    expectRefused(await refused('jobs', 'status'), way('npm run jobs -- status'));
    expectRefused(await refused('start', 'start'), way('npm start --'));
    expectRefused(await refused('server', 'serve'), way('npm run server --'));
    const typed = ['drop', '--source', 'tvl'] as const;
    expectRefused(
      await programs().run('jobs', typed[0], '--source', 'tvl', '--data-dir', 'mine', '--profile', 'files'),
      'is written with the configuration my.json, but this command has none',
      'npm run jobs -- drop --source tvl --data-dir mine --config my.json',
      'add --adopt-config',
    );
    const listed = await programs().run('jobs', 'sources list', '--data-dir', 'mine', '--profile', 'live');
    expect(listed.code).toBe(0);
    expect(landedTables()).toEqual(before);
    expect(existsSync(join(dir, 'mine/demo-world.json'))).toBe(false);
  });

  test('accepts its changes, its copies, and a move together with the folder', async () => {
    copyLanded();
    expect((await run('--config', join(dir, 'my.json'))).code).toBe(0);
    cpSync(join(dir, 'my.json'), join(dir, 'copy.json'));
    expect((await run('--config', 'copy.json')).code).toBe(0);
    writeConfig('copy.json', { profile: 'files', sources: { tvl: source({ name: 'Value locked' }) } });
    expect((await run('--config', 'copy.json')).code).toBe(0);
    const without = await programs().run('jobs', 'run', '--profile', 'files', '--data-dir', 'mine');
    expectRefused(without, '--config copy.json');
  });

  test('refuses another file until it is adopted', async () => {
    copyLanded();
    writeConfig('other.json', { profile: 'files', sources: { other: source() } });
    expectRefused(await run('--config', 'other.json'), 'but this command has other.json', '--config my.json');
    expect((await run('--config', 'other.json', '--adopt-config')).code).toBe(0);
    expect((await run('--config', 'other.json')).code).toBe(0);
    expectRefused(await run('--config', 'my.json'), 'but this command has my.json', '--config other.json');
  });

  test('is found through CONFIG and with a profile from the environment', async () => {
    writeConfig('bare.json', { sources: { tvl: source() } });
    const env = { CONFIG: 'bare.json', PROFILE: 'files', DATA_DIR: 'mine' };
    expect((await programs(dir, env).run('jobs', 'run')).code).toBe(0);
    const { PROFILE: _, ...withoutProfile } = env;
    writeConfig('bare.json', { policy: {} });
    expectRefused(
      await programs(dir, withoutProfile).run('jobs', 'run'),
      '--config bare.json --profile files',
    );
  });
});

describe('demo rows and real ones', () => {
  test('never share a folder', async () => {
    const demo = ['--data-dir', 'demo', '--demo-days', '2'];
    expect((await programs().run('jobs', 'run', ...demo)).code).toBe(0);
    const before = landedTables(join(dir, 'demo'));
    const real = await programs().run(
      'jobs',
      'run',
      '--config',
      'my.json',
      '--data-dir',
      'demo',
      '--adopt-config',
    );
    expectRefused(real, 'holds data of profile demo', 'choose another folder');
    expect(landedTables(join(dir, 'demo'))).toEqual(before);
    rmSync(join(dir, 'demo/installation.json'));
    expectRefused(
      await programs().run('jobs', 'run', '--config', 'my.json', '--data-dir', 'demo'),
      'holds data of profile demo',
    );
  });

  test('sources under the profile demo are a mistake', async () => {
    writeConfig('my.json', { sources: { tvl: source() } });
    const { code, err } = await run('--config', 'my.json');
    expect(code).toBe(2);
    expect(err).toContain('sources: sources with the profile demo, which generates its data');
    expect(existsSync(join(dir, 'mine'))).toBe(false);
  });

  test('a first command that landed nothing decides nothing', async () => {
    writeConfig('empty.json', { profile: 'files', sources: { tvl: source({ path: 'none-*.csv' }) } });
    await run('--config', 'empty.json');
    expect(remembered().config.paths[0].absolute).toBe(join(dir, 'empty.json'));
    expect((await run('--config', 'my.json')).code).toBe(0);
    expect(remembered().config.paths[0].absolute).toBe(join(dir, 'my.json'));
  });
});

describe('hosts that share a bucket', () => {
  test.runIf(minioProgram() !== undefined)('refuse what the first of them did not have', async () => {
    const minio = await startMinio();
    onTestFinished(() => minio.stop());
    const stores = [
      '--data-store',
      `s3://${minio.bucket}/data`,
      '--snapshot-store',
      `s3://${minio.bucket}/versions`,
    ];
    const installation = ['--installation', 'a'.repeat(32)];
    const host = (...args: readonly string[]) =>
      programs(dir, minio.env).run(
        'jobs',
        'run',
        ...stores,
        ...installation,
        '--s3-endpoint',
        minio.endpoint,
        ...args,
      );
    expect((await host('--data-dir', 'one', '--config', 'my.json')).code).toBe(0);
    expectRefused(await host('--data-dir', 'two'), 'holds data of profile files', '--config my.json');
    expectRefused(await host('--data-dir', 'two', '--profile', 'files'), 'but this command has none');
    expect(existsSync(join(dir, 'two/landing'))).toBe(false);
    cpSync(join(dir, 'my.json'), join(dir, 'copy.json'));
    expect(await host('--data-dir', 'two', '--config', 'copy.json')).toMatchObject({ code: 0 });
    expect(remembered(join(dir, 'two')).config.paths).toHaveLength(2);
    // The copy of the first host is older than what the bucket has.
    writeConfig('copy.json', { profile: 'files', sources: { tvl: source({ name: 'Value locked' }) } });
    expect((await host('--data-dir', 'one', '--config', 'copy.json')).code).toBe(0);
  });
});

describe('a folder of an earlier version', () => {
  test('is adopted with one line, but not with generated rows', async () => {
    copyLanded();
    rmSync(join(dir, 'mine/installation.json'));
    expectRefused(await run(), 'profile files', '--data-dir mine --config FILE');
    const adopted = await run('--config', 'my.json');
    expect(adopted.code).toBe(0);
    expect(adopted.err.match(/of an earlier version is adopted/g)).toHaveLength(1);
    expect((await run('--config', 'my.json')).err).not.toContain('adopted');
  });

  test('with another format is upgraded with one line, and the warehouse is computed again', async () => {
    copyLanded();
    const file = join(dir, 'mine/installation.json');
    const now = remembered();
    writeFileSync(
      file,
      JSON.stringify({ ...now, program: '0.0.9', formats: { ...now.formats, warehouse: 0 } }),
    );
    const upgraded = await run('--config', 'my.json');
    expect(upgraded.code).toBe(0);
    expect(upgraded.err.match(/data folder of version 0.0.9 is upgraded: warehouse 0 to 1/g)).toHaveLength(1);
    expect(existsSync(join(dir, 'mine/warehouse.duckdb.replaced'))).toBe(true);
    expect(remembered()).toMatchObject({ program: now.program, formats: now.formats });
  });
});

describe('a folder that cannot be used', () => {
  test('is refused when a newer version has written it, and both versions are named', async () => {
    const folder = join(dir, 'mine');
    copyLanded();
    const newer = { program: '9.1.0', formats: { ...remembered().formats, landing: 7 }, other: 'shape' };
    writeFileSync(join(folder, 'installation.json'), JSON.stringify(newer));
    const refused = await run('--config', 'my.json');
    expectRefused(refused, 'version 9.1.0 wrote this folder', 'this is version 0.1.0', 'landing 7');
    const served = await programs().run('server', 'serve', '--data-dir', 'mine', '--config', 'my.json');
    expectRefused(served, 'version 9.1.0 wrote this folder');
    expect(readFileSync(join(folder, 'installation.json'), 'utf8')).toBe(JSON.stringify(newer));
  });

  test('says how to go on when its record is damaged; a record that was being written when a process was killed is no damage', async () => {
    const file = join(dir, 'mine/installation.json');
    copyLanded();
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, 40));
    const refused = await run('--config', 'my.json');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/installation.json is damaged.*remove it/);
    rmSync(file);
    writeFileSync(`${file}.part`, whole.slice(0, 40));
    expect((await run('--config', 'my.json')).code).toBe(0);
    expect(remembered().config.paths[0].absolute).toBe(join(dir, 'my.json'));
  });
});
