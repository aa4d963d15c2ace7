import { expect, test } from 'vitest';
import { commandFor, type FolderUse, withCommands } from '../../../platform/command-line/command-for.ts';
import { sourceFiles, PRODUCT_FOLDERS } from '../../rules/source-tree.ts';

const use = (given: Partial<FolderUse['settings']> = {}, config_path: string | null = null): FolderUse => ({
  settings: { data_dir: 'var', profile: 'demo', ...given },
  config_path,
});

test('a command has the configuration, or the profile without one, and the data folder', () => {
  expect(commandFor(use(), 'run')).toBe('npm run jobs -- run');
  expect(commandFor(use({ data_dir: 'var/mine' }), 'run')).toBe('npm run jobs -- run --data-dir var/mine');
  expect(commandFor(use({ profile: 'live' }), 'run')).toBe('npm run jobs -- run --profile live');
  expect(commandFor(use({ profile: 'live' }, 'my file.json'), 'run')).toBe(
    "npm run jobs -- run --config 'my file.json'",
  );
});

test('commands of the keys and the server name a store that is not the usual one of the data folder', () => {
  const usual = { ops_store: 'var/ops/ops.sqlite', seal_key_file: 'var/ops/seal.key' };
  expect(commandFor(use(usual), 'list', 'keys')).toBe('npm run keys -- list');
  const other = use({ ops_store: 'postgres://risk@db/risk', seal_key_file: '/etc/seal.key' });
  expect(commandFor(other, 'list', 'keys')).toBe(
    'npm run keys -- list --ops-store postgres://risk@db/risk --seal-key-file /etc/seal.key',
  );
  expect(commandFor(other, 'run')).toBe('npm run jobs -- run');
});

test('every command that a message names is completed, and nothing else is changed', () => {
  const mine = use({ data_dir: 'var/mine' }, 'my.json');
  expect(
    withCommands(
      'The command `verify` of the jobs, then the command `audit --verify` of the keys; `x`.',
      mine,
    ),
  ).toBe(
    '`npm run jobs -- verify --config my.json --data-dir var/mine`, then `npm run keys -- audit --verify --config my.json --data-dir var/mine`; `x`.',
  );
});

test('no message spells a command out, because it would lack the settings of the program that prints it', () => {
  const spelled = sourceFiles(PRODUCT_FOLDERS, '.ts')
    .filter(({ path }) => !/^(platform\/command-line\/|schemas\/error-pages\.ts)/.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => /npm run (jobs|keys|server) --/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(
    spelled.map(
      (line) => `${line}: write "the command \`…\` of the jobs" (see withCommands), or use commandFor`,
    ),
  ).toEqual([]);
});
