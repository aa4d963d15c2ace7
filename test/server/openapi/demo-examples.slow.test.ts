// The examples of the reference are of the demo: a newcomer who sends one gets an answer, and sees beforehand what it looks like.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_NOW, demoFolder } from '../../support/demo-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ServerFixture } from '../server-fixture.ts';

const run = promisify(execFile);
const RECORDER = fileURLToPath(new URL('../../docs/record-examples.ts', import.meta.url));
const RECORDED = fileURLToPath(new URL('../../../server/web/response-examples.json', import.meta.url));
/** Ids of events are of one installation. */
const OF_ONE_INSTALLATION = /^404 \/v2\/events\/[0-9A-Z]{26}(?:\/evidence)?$/;

let served: ServerFixture;
beforeAll(async () => {
  served = new ServerFixture(join(await demoFolder(), 'snapshots'));
  served.nowMs = DEMO_NOW * 1_000;
}, 300_000);
afterAll(() => served.remove());

test('every example of a GET is answered with data, and the reference shows a record of each', async () => {
  const key = await served.key('enterprise', { limits: { requests_per_minute: 1_000_000 } });
  const { url } = await served.serve();
  const file = join(temporaryFolder('examples'), 'examples.json');
  const { stdout, stderr } = await run(process.execPath, ['--no-warnings', RECORDER, url, key, file]);
  const refused = stderr.split('\n').filter((line) => line !== '' && !OF_ONE_INSTALLATION.test(line));
  expect(refused).toEqual([]);
  const [now, recorded] = [file, RECORDED].map((path) =>
    Object.keys(JSON.parse(readFileSync(path, 'utf8'))).toSorted(),
  );
  expect(now).toEqual(recorded);
  expect(stdout).toBe(`${recorded?.length} examples\n`);
}, 120_000);
