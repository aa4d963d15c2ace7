// Recordings that hosts share through a bucket: written by one, read and removed by another; what a crash leaves does not count. A folder
// stands in for the bucket.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Recording } from '../../../../jobs/sources/live/fetch/recording.ts';
import {
  bodyPath,
  newestState,
  readRecordings,
  removeLeftovers,
  removeRecording,
  writeRecording,
} from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { recordingsDisk } from '../../../../jobs/app/copies/recordings-disk.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { brokenStore } from '../../../snapshots/support/broken-store.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 0, 10) / 1000;
const DAY = 86_400;
let root: string;
let store: ObjectStore;
beforeEach(() => {
  root = temporaryFolder('recordings');
  store = inFolder(join(root, 'bucket'));
});
afterEach(() => removeFolder(root));

function positionOf(host: string, bucket = store) {
  const dir = join(root, host);
  const { disk, fetch } = recordingsDisk({ disk: nodeDisk, dir, store: bucket, nowMs: () => NOW * 1000 });
  return { folder: { disk, dir }, fetch };
}

const facts = (id: string, at = NOW): Omit<Recording, 'pages' | 'sha256' | 'bytes' | 'records'> => ({
  id,
  source: 'votes',
  partition: '',
  params: {},
  outcome: 'accepted',
  reasons: [],
  fault: null,
  retry_at: null,
  window: { from: at, to: at },
  urgency: 'tip',
  fetched_at: at,
  as_of: at,
  newest_possible: at,
  block: null,
  license: null,
  ended: null,
  shape: [],
  newest: null,
  confirms: [],
});

const page = (text: string) => ({
  body: Buffer.from(text),
  facts: {
    records: 1,
    status: 200,
    request: { method: 'GET', url: 'https://votes.example', body: null },
    headers: {},
  },
});

test('a second host reads what the first recorded, bodies and state included', async () => {
  const one = positionOf('a');
  const written = await writeRecording(one.folder, facts('r1'), [page('first'), page('second')], { at: 7 });
  await writeRecording(one.folder, facts('r0', NOW - 5 * DAY), [page('old')]);
  const other = positionOf('b');
  const read = await readRecordings(other.folder, 'votes');
  expect(read.map(({ id }) => id)).toEqual(['r0', 'r1']);
  expect(read[1]).toEqual(written);
  expect(await newestState(other.folder, read)).toEqual({ at: 7 });
  const [body] = written.pages;
  if (body === undefined) throw new Error('no page');
  const path = bodyPath(other.folder, written, body);
  expect((await other.folder.disk.stat(path)).bytes).toBeGreaterThan(0);
  expect(existsSync(path)).toBe(false);
  await other.fetch(path);
  expect(gunzipSync(readFileSync(path)).toString()).toBe('first');
});

test('a recording that one host removes is gone for all hosts, copies included', async () => {
  const one = positionOf('a');
  const written = await writeRecording(one.folder, facts('r0', NOW - 5 * DAY), [page('old')]);
  await removeRecording(positionOf('b').folder, written);
  expect(await store.list('recordings/')).toEqual([]);
  expect(await readRecordings(positionOf('a').folder, 'votes')).toEqual([]);
  expect(existsSync(join(root, 'a/recordings/votes/2026-01-05/r0.json'))).toBe(false);
  expect(existsSync(join(root, 'a/recordings/votes/2026-01-05/r0'))).toBe(false);
});

test('wherever a host ends while it records, the recording is whole or does not count', async () => {
  let ends = 0;
  for (let index = 0; ; index++) {
    const broken = brokenStore(store, index);
    const ended = await writeRecording(positionOf(`a-${index}`, broken.store).folder, facts(`r${index}`), [
      page('x'),
    ])
      .then(() => null)
      .catch((error: unknown) => error);
    const { folder } = positionOf('b');
    await removeLeftovers(folder);
    const read = await readRecordings(folder, 'votes');
    const isThere = read.some(({ id }) => id === `r${index}`);
    const keys = (await store.list('recordings/')).filter((key) => key.includes(`/r${index}`));
    expect(keys).toHaveLength(isThere ? 2 : 0);
    if (ended === null) break;
    ends++;
  }
  expect(ends).toBe(2);
});
