// The promise of the README: with any Node from 20 on in the PATH, every documented script runs, because npm puts the Node that `npm ci`
// installed first. Skipped, with the reason, on machines that have only newer ones.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../rules/source-tree.ts';

const OLDEST = 20;
const NEEDED = 24;

const versionOf = (node: string): number =>
  Number(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]);

/** Folders of the PATH as a shell of this machine has it, without those that npm adds. */
const folders = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'));
const firstNode = folders.map((folder) => join(folder, 'node')).find((node) => existsSync(node));
const version = firstNode === undefined ? null : versionOf(firstNode);
const isOld = version !== null && version >= OLDEST && version < NEEDED;
const reason =
  version === null ? 'no Node outside the project' : `Node ${version} is new enough for everything`;

/** Arguments with which a program ends at once, and what it then says. */
const SCRIPTS: readonly (readonly [script: string, args: readonly string[], said: RegExp])[] = [
  ['start', ['--help'], /--profile/],
  ['jobs', ['--help'], /backfill/],
  ['server', ['--help'], /export/],
  ['keys', ['--help'], /rotate/],
  ['listen', ['--base-url', 'http://127.0.0.1:9'], /key/],
  ['trigger', [], /peg\.depeg\.start/],
  ['receiver', [], /Set WEBHOOK_SECRET/],
  ['follow', [], /The key .* is missing/],
  ['client', ['--no-such-flag'], /Unknown option '--no-such-flag'/],
  ['simulate', ['--no-such-flag'], /Unknown option '--no-such-flag'/],
];

test.skipIf(!isOld).each(SCRIPTS)(
  `npm run %s works with the Node of the machine${isOld ? '' : ` (skipped: ${reason})`}`,
  (script, args, said) => {
    const { stdout, stderr } = spawnSync('npm', ['run', '--silent', script, '--', ...args], {
      cwd: PROJECT,
      encoding: 'utf8',
      env: { ...process.env, PATH: folders.join(delimiter), WEBHOOK_SECRET: '' },
    });
    expect(stdout + stderr).toMatch(said);
    expect(stderr).not.toMatch(/ERR_UNKNOWN_FILE_EXTENSION|SyntaxError/);
  },
  60_000,
);
