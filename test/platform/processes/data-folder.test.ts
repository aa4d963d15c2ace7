import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  configToRemember,
  FolderError,
  FORMATS,
  type Installation,
  parseInstallation,
  refuseOtherUse,
  textOfInstallation,
} from '../../../platform/processes/data-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const READER = { file: 'var/installation.json', program: '1.2.0' };
const INSTALLATION: Installation = {
  formats: FORMATS,
  profile: 'files',
  config: { paths: [{ absolute: '/etc/risk/my.json', from_folder: '../my.json' }], sha256: 'a'.repeat(64) },
  program: '1.2.0',
};

const use = (
  profile: Installation['profile'],
  config_path: string | null = null,
  { data_dir = '/srv/risk/var', adopt_config = false } = {},
) => ({ settings: { data_dir, profile, adopt_config }, config_path });

function refusal(
  ...[known, given, argv]: [
    Parameters<typeof refuseOtherUse>[0],
    Parameters<typeof refuseOtherUse>[1],
    string[]?,
  ]
): string | null {
  try {
    refuseOtherUse(known, given, { program: '1.2.0', invocation: 'npm run jobs --', argv: argv ?? ['run'] });
    return null;
  } catch (error) {
    if (error instanceof FolderError) return error.message;
    throw error;
  }
}

describe('the record', () => {
  test('reads back what was written', () => {
    expect(parseInstallation(textOfInstallation(INSTALLATION), READER)).toEqual(INSTALLATION);
    const bare = { ...INSTALLATION, config: null };
    expect(parseInstallation(textOfInstallation(bare), READER)).toEqual(bare);
  });

  test.each(['landing', 'snapshots', 'ledger', 'warehouse', 'a new part'])(
    'of a program with a newer format of %s is refused, whatever else it holds',
    (part) => {
      const known = (FORMATS as { readonly [part: string]: number })[part];
      const text = JSON.stringify({ program: '2.0.0', formats: { ...FORMATS, [part]: (known ?? 0) + 1 } });
      expect(() => parseInstallation(text, READER)).toThrow(
        `version 2.0.0 wrote this folder, and this is version 1.2.0, which does not know its format: ${part} ${(known ?? 0) + 1} (known here: ${known ?? 'none'})`,
      );
    },
  );

  test('of an older format is read', () => {
    const older = { ...INSTALLATION, formats: { ...FORMATS, warehouse: 0 } };
    expect(parseInstallation(textOfInstallation(older), READER).formats.warehouse).toBe(0);
  });

  const whole = textOfInstallation(INSTALLATION);
  const changed = (change: object) => JSON.stringify({ ...INSTALLATION, ...change });
  test.each([
    ...Array.from({ length: whole.length - 2 }, (_, length) => whole.slice(0, length)),
    '[]',
    'null',
    changed({ profile: 'other' }),
    changed({ config: {} }),
    changed({ config: { paths: [], sha256: '' } }),
    changed({ formats: { ...FORMATS, landing: '1' } }),
    changed({ program: 1 }),
  ])('is damaged when it is %j', (text) => {
    expect(() => parseInstallation(text, READER)).toThrow(
      /^var\/installation.json is damaged.* or remove it/,
    );
  });
});

describe('a command', () => {
  const known = (profile: Installation['profile'], config = INSTALLATION.config) => ({ profile, config });

  test('with the same configuration is accepted', () => {
    const dir = temporaryFolder('folder-use');
    const file = join(dir, 'my.json');
    writeFileSync(file, '{}');
    const here = { data_dir: join(dir, 'var') };
    const first = configToRemember(null, use('files', file, here));
    writeFileSync(file, '{"policy":{}}');
    expect(refusal(known('files', first), use('files', file, here))).toBeNull();
  });

  test('that differs in the profile is refused unless both profiles hold real rows and it is adopted', () => {
    const adopted = { adopt_config: true };
    for (const [before, now] of [
      ['demo', 'files'],
      ['demo', 'live'],
      ['files', 'demo'],
      ['live', 'demo'],
    ] as const) {
      expect(refusal(known(before, null), use(now, null))).toContain(`holds data of profile ${before}`);
      expect(refusal(known(before, null), use(now, null, adopted))).toContain('choose another folder');
    }
    expect(refusal(known('files', null), use('live'))).toContain('add --adopt-config');
    expect(refusal(known('files', null), use('live', null, adopted))).toBeNull();
    expect(refusal(known('live', null), use('files', null, adopted))).toBeNull();
  });

  test('may bring a configuration to a folder without one, but not leave one out', () => {
    const file = join(temporaryFolder('folder-use'), 'my.json');
    writeFileSync(file, '{}');
    expect(refusal(known('live', null), use('live', file))).toBeNull();
    expect(refusal(known('live'), use('live'))).toContain('but this command has none');
    expect(refusal(known('live'), use('live', null, { adopt_config: true }))).toBeNull();
  });

  test.each([
    [['run'], 'npm run jobs -- run --config /etc/risk/my.json'],
    [
      ['run', '--data-dir', '/srv/risk/var'],
      'npm run jobs -- run --data-dir /srv/risk/var --config /etc/risk/my.json',
    ],
    [
      ['drop', '--config=o.json', '--source', 'a b'],
      "npm run jobs -- drop --source 'a b' --config /etc/risk/my.json",
    ],
    [['--config', 'o.json', '--profile', 'live', 'run'], 'npm run jobs -- run --config /etc/risk/my.json'],
  ])('%j that is refused gets the command %s', (argv, command) => {
    expect(refusal(known('files'), use('demo'), argv)).toContain(`: ${command}\n`);
  });

  test('of another profile without a configuration file gets the profile', () => {
    expect(refusal(known('live', null), use('demo'))).toContain(': npm run jobs -- run --profile live\n');
    expect(refusal(known('demo', null), use('live'))).toContain(': npm run jobs -- run --profile demo\n');
    expect(refusal(known('files', null), use('demo'))).toContain(': npm run jobs -- run --config FILE\n');
  });
});

test('files with the same content are one configuration, and a few of their paths are remembered', () => {
  const dir = temporaryFolder('folder-use');
  let config: Installation['config'] = null;
  for (const index of Array.from({ length: 20 }, (_, at) => at)) {
    const file = join(dir, `${index}.json`);
    writeFileSync(file, '{}');
    config = configToRemember(config, use('files', file));
  }
  expect(config?.paths.map(({ absolute }) => absolute)).toEqual(
    [19, 18, 17, 16, 15, 14, 13, 12].map((index) => join(dir, `${index}.json`)),
  );
  const other = join(dir, 'other.json');
  writeFileSync(other, '{"policy":{}}');
  expect(configToRemember(config, use('files', other))?.paths).toHaveLength(1);
  expect(configToRemember(config, use('files'))).toBeNull();
});
