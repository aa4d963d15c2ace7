import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { publishedManifest, testFolder } from '../support/pipeline-world.ts';
import { runExample } from '../support/published-files.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** The table of examples/README.md: configuration, logical time, dataset. */
const listed = [
  ...readFileSync(`${EXAMPLES}README.md`, 'utf8').matchAll(
    /^\| `([\w-]+)\.json` \|[^|]+\| `([^`]+)` \| `([^`]+)` \|$/gm,
  ),
].map(([, name = '', asOf = '', dataset = '']) => ({ name, asOf, dataset }));

test('every configuration is listed with the dataset that it publishes', () => {
  const configurations = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
  expect(listed.map(({ name }) => `${name}.json`).sort()).toEqual(configurations.sort());
});

test.each(listed)('$name publishes $dataset from the inputs next to it', async ({ name, asOf, dataset }) => {
  const folder = testFolder();
  try {
    const now = Date.parse(asOf) / 1000;
    expect(await runExample(folder.dir, { name, dataset, now })).toEqual([]);
    expect(publishedManifest(folder.dir).datasets[dataset]?.rows).toBeGreaterThan(0);
  } finally {
    folder.remove();
  }
});

test.each(listed)('$name reads files of the repository alone', ({ name }) => {
  const text = readFileSync(`${EXAMPLES}${name}.json`, 'utf8');
  expect([...text.matchAll(/"path": "([^"]+)"/g)].map(([, path = '']) => path)).not.toContainEqual(
    expect.stringMatching(/^\/|\.\.\//),
  );
});
