// The recipes for a feed reader and for DuckDB, run as they are written: from an empty folder, with at most three commands, in at most a
// minute. They install packages from PyPI, so they run with `npm run test:recipes` only.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ServerFixture } from '../server/server-fixture.ts';
import { smallDemoFolder } from '../support/demo-folder.ts';
import { exportTo } from '../support/exported-mirror.ts';
import { serveFiles } from '../support/static-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const RECIPES = readFileSync(fileURLToPath(new URL('../../docs/recipes.md', import.meta.url)), 'utf8');

/** The commands of a recipe, as they are written. */
function commandsOf(heading: string): readonly string[] {
  const section = RECIPES.slice(RECIPES.indexOf(heading)).split('\n## ', 1)[0] ?? '';
  return (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '').trim().split('\n');
}

const MAX_MS = 60_000;

/** Runs them in an empty folder; what they print last. */
async function followed(commands: readonly string[], from: string, to: string): Promise<string> {
  expect(commands.length).toBeLessThanOrEqual(3);
  const cwd = temporaryFolder('recipe');
  const started = performance.now();
  let printed = '';
  for (const command of commands) {
    const line = command.replaceAll(from, to);
    ({ stdout: printed } = await run('bash', ['-c', line], { cwd, env: { ...process.env, HOME: cwd } }));
  }
  expect(performance.now() - started).toBeLessThan(MAX_MS);
  await rm(cwd, { recursive: true });
  return printed;
}

describe.skipIf(process.env['RECIPE_TESTS'] === undefined)('the recipes, from an empty folder', () => {
  test('events in a feed reader', async () => {
    const served = new ServerFixture(join(await smallDemoFolder(), 'snapshots'));
    const { url } = await served.serve({ anonymousPlan: null, docsUrl: '' });
    const commands = commandsOf('## 23. Follow events in a feed reader');
    const printed = await followed(commands, 'http://127.0.0.1:8080', url);
    const feed = (await (await fetch(`${url}/feeds/events.json`)).json()) as {
      items: { title: string; url: string }[];
    };
    expect(feed.items.length).toBeGreaterThan(0);
    for (const item of feed.items) expect(printed).toContain(`${item.title} ${item.url}`);
    await served.remove();
  }, 90_000);

  test('the catalogue in DuckDB', async () => {
    const out = temporaryFolder('mirror');
    const files = await serveFiles(out);
    await exportTo(out, { folder: await smallDemoFolder(), url: files.url, plan: null });
    const commands = commandsOf('## 24. Query the mirror with DuckDB');
    const printed = await followed(commands, 'https://mirror.example', files.url);
    expect(printed).toMatch(/USDC.*ethereum.*(pegged|depegged|disputed|unknown)/);
    await files.stop();
    await rm(out, { recursive: true });
  }, 90_000);
});
