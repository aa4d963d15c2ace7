import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { printEvents } from '../../../jobs/commands/events.ts';
import type { EventsRequest } from '../../../jobs/commands/parse.ts';
import { backfill } from '../../../jobs/commands/work.ts';
import { inFolder } from '../../support/in-folder.ts';
import { neededFor } from '../../support/needed-models.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../../support/pipeline-world.ts';

vi.setConfig({ hookTimeout: 120_000 });

const TO = Date.UTC(2026, 2, 10) / 1000;
const FROM = TO - 6 * 86_400;
const ALL: EventsRequest = { type: null, subject: null, from: null, to: null, json: true };

/** Two folders of the same world: one filled in steps of a day, one in a single step. */
const folders: TestFolder[] = [];
beforeAll(async () => {
  for (const step_seconds of [86_400, 6 * 86_400]) {
    const folder = testFolder();
    folders.push(folder);
    const world = {
      flags: ['--demo-days', '6'],
      now: TO,
      domains: neededFor({ events: ['oracle.', 'peg.', 'vault.', 'curator.'] }),
    };
    await inWorld(folder.dir, world, (opened) => backfill(opened, { from: FROM, to: TO, step_seconds }));
  }
});
afterAll(() => {
  for (const folder of folders) folder.remove();
});

async function printed(folder: TestFolder | undefined, request: Partial<EventsRequest>) {
  const lines: string[] = [];
  const snapshotDir = join(folder?.dir ?? '', 'snapshots');
  await printEvents(
    { snapshots: inFolder(snapshotDir), print: (line) => lines.push(line) },
    { ...ALL, ...request },
  );
  return lines;
}

const parsed = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as { [name: string]: string });

test('without criteria the whole log is printed, byte for byte', async () => {
  const log = publishedEvents(folders[0]?.dir ?? '').map(({ value }) => JSON.stringify(value));
  expect(log.length).toBeGreaterThan(10);
  expect(await printed(folders[0], {})).toEqual(log);
});

test('criteria are combined, and time means the time of the event', async () => {
  const all = parsed(await printed(folders[0], {}));
  const some = all[Math.floor(all.length / 2)];
  const [type = '', subject = ''] = [some?.['type'], some?.['subject_id']];
  const from = Date.parse(some?.['ts'] ?? '') / 1000;
  const asked = { type, subject: subject.toUpperCase(), from, to: from + 1 };
  const same = all.filter(
    (one) => one['type'] === type && one['subject_id'] === subject && one['ts'] === some?.['ts'],
  );
  expect(same.length).toBeGreaterThan(0);
  expect(parsed(await printed(folders[0], asked))).toEqual(same);
  expect(await printed(folders[0], { ...asked, to: from, from: from - 1 })).toEqual([]);
});

test('what a span prints does not depend on the steps of the backfill', async () => {
  const span = { from: TO - 3 * 86_400, to: TO - 86_400 };
  const withoutId = (lines: readonly string[]) =>
    parsed(lines).map(({ type, severity, subject_id, ts }) => ({ type, severity, subject_id, ts }));
  const [daily, once] = await Promise.all(folders.map((folder) => printed(folder, span)));
  expect(daily?.length).toBeGreaterThan(0);
  expect(withoutId(once ?? [])).toEqual(withoutId(daily ?? []));
});

test('without --json, an event is a line with its id, time, severity, type and subject', async () => {
  const [event] = parsed(await printed(folders[0], {}));
  const [line] = await printed(folders[0], { json: false });
  for (const member of ['event_id', 'ts', 'severity', 'type', 'subject_id'])
    expect(line).toContain(event?.[member]);
});

test('a folder without versions is an error, and so is a missing part of the log', async () => {
  const empty = testFolder();
  await expect(printed(empty, {})).rejects.toThrow(/nothing is published .* Check --data-dir/);
  empty.remove();
  rmSync(join(folders[1]?.dir ?? '', 'snapshots', 'events'), { recursive: true });
  await expect(printed(folders[1], {})).rejects.toThrow(/Restore|restore/);
});
