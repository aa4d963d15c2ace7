// The exit code of a run, and the counts in its last line, when a source gives nothing that can be used.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProgramRuns } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Math.floor(Date.now() / 1000);
const rows = (at: (hour: number) => string) =>
  ['at,usd', ...[3, 2, 1].map((hour) => `${at(hour)},5000000`)].join('\n');
const source = (name: string) => ({
  table: 'tvl_reading',
  path: `${name}.csv`,
  format: 'csv',
  name,
  fields: { protocol: { value: name }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
});

test('a source whose rows are all refused ends a run with 4 and is counted, until its rows land', async () => {
  const dir = temporaryFolder('exit-codes');
  const seconds = rows((hour) => String(NOW - hour * 3_600));
  writeFileSync(join(dir, 'good.csv'), seconds);
  writeFileSync(
    join(dir, 'bad.csv'),
    rows((hour) => new Date((NOW - hour * 3_600) * 1000).toISOString()),
  );
  writeFileSync(
    join(dir, 'my.json'),
    JSON.stringify({ profile: 'files', sources: { good: source('good'), bad: source('bad') } }),
  );
  const run = async () => {
    const programs = new ProgramRuns({ cwd: dir, settings: ['--config', 'my.json', '--data-dir', 'var'] });
    const { code, err } = await programs.run('jobs', 'run');
    const done = err.split('\n').find((line) => line.includes('"msg":"tick done"')) ?? '{}';
    const { sources_failed, sources_refused, datasets_held } = JSON.parse(done);
    return { code, sources_failed, sources_refused, datasets_held };
  };
  const counts = { sources_failed: 0, datasets_held: 0 };
  expect(await run()).toEqual({ code: 4, ...counts, sources_refused: 1 });
  writeFileSync(join(dir, 'bad.csv'), seconds);
  expect(await run()).toEqual({ code: 0, ...counts, sources_refused: 0 });
});
