// The same bytes from one, two and four parts, and from other versions of Node (downloaded, at release counts).
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exitHashes } from './exit-bytes.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GOLDEN: readonly string[] = JSON.parse(
  readFileSync(new URL('./exit-golden.json', import.meta.url), 'utf8'),
);

test.each([1, 2, 4])('ten exits computed in %i parts have unchanged bytes', (parts) => {
  expect(exitHashes(parts)).toEqual(GOLDEN);
});

const FOLDERS = ['models', 'platform/base', 'schemas', 'snapshots', 'test/support', 'test/server/analytics'];

/** The files needed to compute the hashes, without types, for versions of Node that cannot strip them. */
function plainCopy(): string {
  const dir = temporaryFolder('plain');
  for (const folder of FOLDERS)
    for (const name of readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.ts'))) {
      const plain = stripTypeScriptTypes(readFileSync(join(ROOT, folder, name), 'utf8'));
      const path = join(dir, folder, name.replace(/\.ts$/, '.mjs'));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, plain.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.mjs'"));
    }
  return dir;
}

/** Path of the Node of a version, from its npm package for this machine; undefined if there is none. */
async function installedNode(version: string): Promise<string | undefined> {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const dir = temporaryFolder(`node-${version}`);
  const args = ['install', '--no-save', '--ignore-scripts', '--prefix', dir, `${name}@${version}`];
  try {
    await promisify(execFile)('npm', args, { cwd: dir });
    return join(dir, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
  } catch {
    rmSync(dir, { recursive: true, force: true });
    return undefined;
  }
}

test.for(COUNTS.nodeVersions)('Node %s produces the same bytes', async (version, { skip }) => {
  const node = await installedNode(version);
  if (node === undefined) return skip(`npm has no Node ${version} for this machine, or cannot be reached`);
  const dir = plainCopy();
  const main = join(dir, 'main.mjs');
  const module = join(dir, 'test/server/analytics/exit-bytes.mjs');
  writeFileSync(
    main,
    `import { exitHashes } from '${module}';\nconsole.log(JSON.stringify([process.version, exitHashes(1)]));\n`,
  );
  try {
    const { stdout } = await promisify(execFile)(node, [main], { cwd: dir });
    expect(JSON.parse(stdout)).toEqual([`v${version}`, GOLDEN]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    rmSync(join(node, '../../../..'), { recursive: true, force: true });
  }
});
