// Pollers that share sources: a source is read by one at a time, and each continues where the last one stopped.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FileLeases } from '../../../../platform/leases/leases.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { json } from './http/replay-server.ts';
import { openFixture, sourceOf } from './fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const folder = temporaryFolder('source-turns');

/** `count` pollers that take turns at one source. */
async function pollers(count: number) {
  const fixture = await openFixture((_, index) => json([{ id: index }]));
  closing.push(() => fixture.close());
  const dir = mkdtempSync(join(folder, 'leases-'));
  const leasesOf = () => new FileLeases((name) => join(dir, `${name}.lock`));
  const all = Array.from({ length: count }, () => fixture.startWith(leasesOf(), sourceOf({ every: '1h' })));
  return { fixture, leasesOf, all };
}

test('of pollers that find a source due at once, one reads it', async () => {
  const { fixture, all } = await pollers(3);
  const read = await Promise.all(all.map((poller) => poller.once()));
  expect(read.flat().flatMap(({ recordings }) => recordings)).toHaveLength(1);
  expect(await fixture.recordings()).toHaveLength(1);
});

test('a poller that takes over knows what the others have read, and repeats nothing', async () => {
  const { fixture, all } = await pollers(2);
  for (let hour = 1; hour <= 4; hour++) {
    for (const poller of all) await poller.once();
    expect(await fixture.recordings()).toHaveLength(hour);
    await fixture.clock.sleep(3_600_000);
  }
});

test('a source that another process reads waits until its lease has ended', async () => {
  const { fixture, leasesOf, all } = await pollers(1);
  const lease = await leasesOf().take('things');
  await all[0]?.once();
  expect(await fixture.recordings()).toHaveLength(0);
  await lease?.release();
  await all[0]?.once();
  expect(await fixture.recordings()).toHaveLength(1);
});
