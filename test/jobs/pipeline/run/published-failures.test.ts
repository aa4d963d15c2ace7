import { afterEach, beforeEach, expect, test } from 'vitest';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { runFiles } from '../../../support/published-files.ts';

const NOW = Date.UTC(2026, 2, 8, 12) / 1000;
const fields = {
  chain: { value: 'ethereum' },
  feed_address: 'feed',
  round_id: 'round',
  answer: 'answer',
  decimals: { value: '8' },
  updated_at: 'at',
};

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

test.each(['/srv/private/rounds.csv', '/srv/private/rounds-*.csv', '/srv/private/a b/rounds.csv'])(
  'why %s could not be read is published without its folder',
  async (path) => {
    const rounds = { table: 'feed_round', name: 'Rounds', path, format: 'csv', fields };
    const problems = await runFiles(folder.dir, { profile: 'files', sources: { rounds } }, NOW);
    expect(problems.join()).toMatch(/rounds.*\.csv: (no file matches|the file does not exist)/);
    const text = JSON.stringify(publishedManifest(folder.dir));
    expect(text).toMatch(/rounds[^"]*\.csv: (no file matches|the file does not exist)/);
    expect(text).not.toContain('/srv');
  },
);
