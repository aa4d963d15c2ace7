// What is published of vaults and liquidity in a small demo world does not depend on how time is walked.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { backfill } from '../../../../jobs/commands/work.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { neededFor } from '../../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  testFolder,
  withoutIds,
} from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FROM = NOW - 3 * DAY;
const WORLD = {
  flags: ['--demo-days', '2'],
  now: NOW,
  domains: neededFor({
    datasets: lending.datasets.map(({ id }) => id),
    events: ['oracle.stale', 'vault.', 'curator.', 'liquidity.'],
  }),
};

const folders: TestFolder[] = [];
const newFolder = () => {
  const folder = testFolder();
  folders.push(folder);
  return folder.dir;
};
let whole: string;
beforeAll(async () => {
  whole = newFolder();
  await inWorld(whole, WORLD, walk(30 * DAY));
});
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const walk = (step_seconds: number) => (world: PipelineContext) =>
  backfill(world, { from: FROM, to: NOW, step_seconds });
const typesIn = (dir: string) => new Set(publishedEvents(dir).map(({ value }) => value.type));

test('every type has an event, and one that was taken back names it', () => {
  expect([...typesIn(whole)].sort()).toEqual([
    'curator.action',
    'curator.tenure.end',
    'curator.tenure.start',
    'liquidity.depth.collapse',
    'liquidity.utilization.spike',
    'oracle.stale',
    'vault.allocation.changed',
    'vault.cap.changed',
    'vault.change.executed',
    'vault.change.pending',
    'vault.change.revoked',
    'vault.curator.changed',
    'vault.fee.changed',
    'vault.liquidity.low',
    'vault.share_price.fell',
  ]);
  const events = publishedEvents(whole).map(({ value }) => value);
  const [takenBack] = events.filter(({ data }) => 'retracts_event_id' in data);
  const withdrawn = events.find(({ event_id }) => event_id === takenBack?.data['retracts_event_id']);
  expect(withdrawn?.data['tx_hash']).toBe(takenBack?.data['tx_hash']);
});

test('a feed that backs several markets is stale for each of them', () => {
  const stale = publishedEvents(whole).filter(({ value }) => value.type === 'oracle.stale');
  const subjects = stale.map(({ value }) => value.subject_id.split(':').at(-1) ?? '');
  expect(subjects.some((market) => market.startsWith('0x'))).toBe(true);
  for (const { value } of stale) expect(value.data['market_id']).toBe(value.subject_id.split(':').at(-1));
});

test('other steps give the events of one go in the same order, and the same dataset bytes', async () => {
  for (const step of COUNTS.lendingWalkSteps) {
    const dir = newFolder();
    await inWorld(dir, WORLD, walk(step));
    expect(withoutIds(publishedEvents(dir))).toEqual(
      withoutIds(publishedEvents(whole)).map((event) => expect.objectContaining({ key: event.key })),
    );
    expect(datasetHashes(dir)).toEqual(datasetHashes(whole));
  }
});
