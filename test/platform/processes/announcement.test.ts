// What `npm start` prints once a version is published, with sources that could not be read.
import { expect, test } from 'vitest';
import { announcement, completion } from '../../../platform/processes/announcement.ts';

const STARTED = { address: 'http://localhost:8080', keys: [] };
const source = (id: string, state: string, reason: string | null = null) => ({ id, state, reason });
const statusOf = (...sources: readonly ReturnType<typeof source>[]) => ({
  status: 'degraded',
  summary: 'Feeds and pegs can be judged; 1 source is overdue.',
  is_simulated: false,
  version: 'B',
  as_of: '2026-01-01T00:00:00Z',
  datasets: { coverage: { documents: 0 } },
  events: { published: 0 },
  sources,
});

test('sources that could not be read are named, grouped by reason', () => {
  const status = statusOf(
    source('pools', 'failing', 'a.example cannot be reached'),
    source('venues', 'failing', 'a.example cannot be reached'),
    source('posts', 'failing'),
    source('blocks', 'reading'),
    source('releases', 'needs_key', 'set GITHUB_TOKEN'),
  );
  for (const text of [announcement(STARTED, status), completion(status)]) {
    expect(text).toContain('3 of 5 sources could not be read');
    expect(text).toContain('    pools, venues: a.example cannot be reached\n');
    expect(text).toContain('    posts: reason unknown\n');
    expect(text).not.toMatch(/blocks|releases|is here|are here/);
  }
});

test('sources that are read are not mentioned', () => {
  const status = statusOf(source('blocks', 'reading'));
  expect(announcement(STARTED, status)).not.toContain('could not be read');
  expect(announcement(STARTED, status)).toMatch(/Feeds and markets are published; pegs.*simulations follow/);
  expect(completion({ ...status, status: 'ok' })).toContain(
    'Everything is published: version B, 1 dataset, 0 events',
  );
});

test('the verdict of the service is printed, and nothing is called complete that is not', () => {
  const status = statusOf(source('blocks', 'reading'));
  const verdict = '  Service degraded: Feeds and pegs can be judged; 1 source is overdue.\n';
  expect(announcement(STARTED, status)).toContain(verdict);
  expect(completion(status)).toContain(verdict);
  expect(completion(status)).not.toContain('Everything');
});

test('without keys of the demo, the command that makes one is printed', () => {
  const command = 'the command `create --org me --plan team` of the keys';
  expect(announcement(STARTED, statusOf())).toContain(command);
  const keys = [{ key: 'rk_live_x', plan: 'team' }];
  expect(announcement({ ...STARTED, keys }, statusOf())).not.toContain(command);
});

test('the demo says once that its faults are scripted', () => {
  expect(announcement(STARTED, { ...statusOf(), is_simulated: true })).toContain('Its faults are scripted');
  expect(announcement(STARTED, statusOf())).not.toContain('simulated');
});
