import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingFlags } from '../../../platform/command-line/command-line.ts';
import { loadSettings, SettingsError, type SettingsInput } from '../../../platform/settings/load-settings.ts';

const noFile = (path: string): string => {
  throw new Error(`ENOENT: no such file, open '${path}'`);
};
const load = (input: Partial<SettingsInput>) => loadSettings({ env: {}, readFile: noFile, ...input });
const file = (document: unknown) => ({ env: { CONFIG: 'c.json' }, readFile: () => JSON.stringify(document) });

function problems(input: Partial<SettingsInput>) {
  try {
    load(input);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  throw new Error('these settings were accepted');
}

describe('origins', () => {
  test('without anything given, the defaults hold', () => {
    const { settings, warnings, config_path } = load({});
    expect(settings).toMatchObject({
      data_dir: 'var',
      snapshot_dir: 'var/snapshots',
      port: 8080,
      profile: 'demo',
    });
    expect({ warnings, config_path }).toEqual({ warnings: [], config_path: null });
  });

  test('a flag overrides the environment, which overrides .env, which overrides the file', () => {
    const layers = {
      ...file({ port: 1, host: 'file', log_level: 'error', demo_seed: 1 }),
      dotEnv: 'PORT=2\nHOST=dotenv\nLOG_LEVEL=warn',
    };
    const { settings } = load({
      ...layers,
      env: { CONFIG: 'c.json', PORT: '3', HOST: 'environment' },
      flags: settingFlags('--port', '4'),
    });
    expect(settings).toMatchObject({ port: 4, host: 'environment', log_level: 'warn', demo_seed: 1 });
  });

  test('the configuration file may be named by a flag or in .env', () => {
    const readFile = (path: string) => JSON.stringify({ host: path });
    expect(load({ flags: settingFlags('--config=a.json'), readFile }).settings.host).toBe('a.json');
    const fromDotEnv = load({ dotEnv: 'CONFIG=b.json', readFile });
    expect([fromDotEnv.settings.host, fromDotEnv.config_path]).toEqual(['b.json', 'b.json']);
  });

  test('an empty variable counts as not set', () => {
    expect(load({ env: { PORT: '', CONFIG: '' }, dotEnv: 'HOST=' }).settings).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
    });
  });

  test('{data_dir} stands for that setting wherever it was set', () => {
    expect(load({ flags: settingFlags('--data-dir', '/d') }).settings.snapshot_dir).toBe('/d/snapshots');
    expect(load({ env: { DATA_DIR: '/d', SNAPSHOT_DIR: '{data_dir}/s' } }).settings.snapshot_dir).toBe(
      '/d/s',
    );
  });

  test('sections are passed on unchanged', () => {
    expect(load(file({ sources: [{ id: 'a' }], policy: { peg: {} } })).sections).toEqual({
      sources: [{ id: 'a' }],
      policy: { peg: {} },
    });
  });

  test('the result cannot be changed', () => {
    const { settings } = load({});
    expect(() => Object.assign(settings, { port: 1 })).toThrow(TypeError);
  });
});

describe('wrong values', () => {
  test('every problem in every origin is reported at once', () => {
    const found = problems({
      flags: settingFlags('--prot', '1', '--port', '99999'),
      env: { CONFIG: 'c.json', DEMO_FEEDS: '39', DUCKDB_MEMORY_LIMIT: 'much' },
      dotEnv: 'DATADIR=x\nno assignment\nLOG_LEVEL=loud',
      readFile: () =>
        JSON.stringify({ demo_feedz: 40, port: '80', demo_incidents: 'yes', tick_seconds: 1.5 }),
    });
    expect(found.map((problem) => problem.where).sort()).toEqual([
      '.env line 1',
      '.env line 2',
      '.env line 3 LOG_LEVEL',
      'c.json: demo_feedz',
      'c.json: demo_incidents',
      'c.json: port',
      'c.json: tick_seconds',
      'environment DEMO_FEEDS',
      'environment DUCKDB_MEMORY_LIMIT',
      'flag --port',
      'flag --prot',
    ]);
    expect(found.find((problem) => problem.where === 'c.json: demo_feedz')?.closest).toBe('demo_feeds');
    expect(found.find((problem) => problem.where === '.env line 1')?.closest).toBe('DATA_DIR');
  });

  test('the message names where, what was given, what was expected and what was probably meant', () => {
    expect(() => load({ env: { PORT: '80a' }, flags: settingFlags('--prot', '1') })).toThrow(
      'The configuration has 2 problems:\n' +
        '  flag --prot: is not known; expected a setting or a flag of the command; did you mean --port?\n' +
        '  environment PORT: "80a" given; expected an integer from 0 to 65535',
    );
  });

  test.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '1.5'],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', ' '],
    ['QUARANTINE_LIMIT_PCT', 'NaN'],
    ['QUARANTINE_LIMIT_PCT', '100.01'],
    ['PROFILE', 'Demo'],
    ['DEMO_INCIDENTS', 'maybe'],
    ['TICK_CRON', 'every minute'],
    ['DUCKDB_MEMORY_LIMIT', '2 potatoes'],
    ['DOCS_URL', 'docs.example'],
    ['DATA_DIR', ' '],
  ])('%s=%j is refused', (name, value) => {
    expect(problems({ env: { [name]: value } })).toMatchObject([{ where: `environment ${name}` }]);
  });

  test.each([
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65_535],
    ['QUARANTINE_LIMIT_PCT', '0.5', 'quarantine_limit_pct', 0.5],
    ['DEMO_INCIDENTS', 'No', 'demo_incidents', false],
    ['TICK_CRON', '0 */2 * * 1-5', 'tick_cron', '0 */2 * * 1-5'],
    ['DUCKDB_MEMORY_LIMIT', '512MiB', 'duckdb_memory_limit', '512MiB'],
  ])('%s=%j is accepted', (name, value, key, expected) => {
    expect(load({ env: { [name]: value } }).settings).toHaveProperty(key, expected);
  });

  test('a value that a later origin overrides must still be valid', () => {
    expect(problems({ env: { PORT: 'x' }, flags: settingFlags('--port', '1') })).toMatchObject([
      { where: 'environment PORT' },
    ]);
  });
});

describe('the configuration file', () => {
  test('a file that is named but cannot be read is a problem, not a default', () => {
    expect(problems({ env: { CONFIG: 'gone.json' } })).toMatchObject([
      { where: 'gone.json', given: "cannot be read (ENOENT: no such file, open 'gone.json')" },
    ]);
  });

  test.each(['{"port":', '', '[]', 'null', '"text"'])('%j is not a configuration', (text) => {
    expect(problems({ env: { CONFIG: 'c.json' }, readFile: () => text })).toMatchObject([
      { where: 'c.json', expected: 'one JSON object' },
    ]);
  });

  test('a byte order mark is skipped', () => {
    expect(load({ env: { CONFIG: 'c.json' }, readFile: () => '\uFEFF{"port":1}' }).settings.port).toBe(1);
  });

  test('it cannot name another configuration file', () => {
    expect(problems(file({ config: 'other.json' }))).toMatchObject([{ where: 'c.json: config' }]);
  });

  test('names inherited from Object are unknown like any other', () => {
    const readFile = () => '{"__proto__": 1, "constructor": 2, "toString": 3}';
    expect(problems({ env: { CONFIG: 'c.json' }, readFile })).toHaveLength(3);
  });
});

describe('warnings', () => {
  test('a variable spelled almost like a setting is mentioned', () => {
    expect(load({ env: { DATA_DIRS: 'x', PROT: '1', SNAPSHOTDIR: 'x' } }).warnings).toEqual([
      'environment DATA_DIRS is not a setting; did you mean DATA_DIR?',
      'environment PROT is not a setting; did you mean PORT?',
      'environment SNAPSHOTDIR is not a setting; did you mean SNAPSHOT_DIR?',
    ]);
  });

  test('a setting is not a typo, however much it looks like another', () => {
    expect(load({ env: { METRICS_PORT: '1', METRICS_HOST: '::1' } }).warnings).toEqual([]);
  });

  test('variables of the machine are left alone', () => {
    const env = {
      HOME: '/',
      PATH: '/bin',
      PWD: '/',
      HOSTNAME: 'h',
      LOGNAME: 'me',
      TERM: 'x',
      USER: 'me',
      SHLVL: '1',
    };
    expect(load({ env }).warnings).toEqual([]);
  });
});

test('whatever is given, the result is settings or a list of problems', () => {
  const name = fc.constantFrom('PORT', 'DATA_DIR', 'PROT', 'DEMO_INCIDENTS', '__proto__', 'toString');
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('--port', '--config', '--', '-', '--=', '--no-demo-incidents', '{data_dir}'),
  );
  fc.assert(
    fc.property(
      fc.array(text),
      fc.dictionary(name, text),
      fc.string(),
      fc.json(),
      (argv, env, dotEnv, document) => {
        try {
          expect(
            load({ flags: settingFlags(...argv), env, dotEnv, readFile: () => document }).settings.port,
          ).toBeTypeOf('number');
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsError);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
