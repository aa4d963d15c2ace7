import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { PipelineContext } from '../../../../../jobs/pipeline/context.ts';
import type { JudgedGate } from '../../../../../jobs/pipeline/publish/conditions.ts';
import type { Publication } from '../../../../../jobs/pipeline/publish/publication.ts';
import { statusHistoryInput } from '../../../../../jobs/pipeline/publish/recorded/status-history.ts';
import { isoOf } from '../../../../../platform/base/time.ts';
import { nodeDisk } from '../../../../../platform/storage/disk.ts';
import type { QualityGate } from '../../../../../schemas/provenance.ts';
import { decodeDataset } from '../../../../../snapshots/dataset-file.ts';
import { type Manifest, seriesPath } from '../../../../../snapshots/layout.ts';
import { publishEvents, publishVersion } from '../../../../../snapshots/write.ts';
import { datasetOf } from '../../../../server/server-fixture.ts';
import { inFolder } from '../../../../support/in-folder.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const DAY = 86_400;
const HOUR = 3_600;
/** The last day but one of a month. */
const FIRST = Date.UTC(2026, 0, 30) / 1_000;

type Verdict = QualityGate['verdict'];
interface Answer {
  readonly t: readonly number[];
  readonly columns: { readonly gate: readonly Verdict[]; readonly freshness: readonly string[] };
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
}

let dir: string;
let previous: Manifest | null;
let warnings: string[];
beforeEach(() => {
  dir = temporaryFolder('status-history');
  previous = null;
  warnings = [];
});

/** Publishes a version at that time; a dataset whose gate fails is kept from the last one. */
async function publish(now: number, verdicts: Readonly<Record<string, Verdict>>, clock = now): Promise<void> {
  const gates = Object.entries(verdicts).map(
    ([id, verdict]): JudgedGate => ({
      id,
      title: id,
      gate: { verdict, checks: [], evaluated_at: null, policy_version: '1' },
    }),
  );
  const context = {
    snapshots: inFolder(dir),
    nowMs: () => clock * 1_000,
    policy: { policy_version: '1' },
    settings: { tick_seconds: 300 },
    reporter: { warn: (message: string) => warnings.push(message) },
  } as unknown as PipelineContext;
  const publication = { now, previous } as Publication;
  const { parquet: _, ...history } = await statusHistoryInput(context, publication, gates);
  const datasets = gates.flatMap(({ id, gate }) => {
    const known = previous?.datasets[id];
    if (gate.verdict === 'fail' && known === undefined) return [];
    const computed_at = gate.verdict === 'fail' ? (known?.computed_at ?? '') : isoOf(now);
    return [{ ...datasetOf(id, [], computed_at), update_cadence_seconds: 300, quality_gate: gate }];
  });
  const published = await publishVersion(inFolder(dir), {
    as_of: isoOf(now),
    generated_at: isoOf(now),
    engine_version: 'test',
    methodology_version: '1',
    policy_version: '1',
    datasets: [...datasets, history],
    segments: [],
  });
  previous = published.manifest;
}

const parts = () => previous?.datasets['status-history']?.series ?? [];
const fileOf = (index: number) => join(dir, seriesPath('status-history', parts()[index]?.sha256 ?? ''));

async function historyOf(key: string, index = parts().length - 1): Promise<Answer | undefined> {
  const documents = decodeDataset(await nodeDisk.read(fileOf(index)));
  return documents.find((document) => document.key === key)?.value as unknown as Answer;
}

test('a day has its worst gate and its worst freshness, whatever came later', async () => {
  await publish(FIRST, { a: 'pass', b: 'pass' });
  await publish(FIRST + 300, { a: 'warn', b: 'pass' });
  await publish(FIRST + 600, { a: 'pass', b: 'pass' });
  expect(await historyOf('a')).toEqual({
    t: [FIRST],
    columns: { gate: ['warn'], freshness: ['fresh'] },
    gaps: [],
  });
  expect((await historyOf('b'))?.columns.gate).toEqual(['pass']);
  expect((await historyOf('all'))?.columns.gate).toEqual(['warn']);
  // 500 s after a version of data that is due every 300 s.
  await publish(FIRST + 1_100, { a: 'pass', b: 'pass' });
  expect((await historyOf('b'))?.columns.freshness).toEqual(['aging']);
});

test('after a pause the data was as old as readers saw it, although missed runs are caught up one by one', async () => {
  await publish(FIRST, { a: 'pass' });
  for (let tick = 1; tick <= 4; tick++) await publish(FIRST + tick * 300, { a: 'pass' }, FIRST + 1_200);
  expect((await historyOf('a'))?.columns.freshness).toEqual(['stale']);
});

test('a dataset that is held back fails and ages, even one that was never published', async () => {
  await publish(FIRST, { a: 'pass', b: 'fail' });
  expect((await historyOf('b'))?.columns).toEqual({ gate: ['fail'], freshness: ['unknown'] });
  for (let tick = 1; tick <= 3; tick++) await publish(FIRST + tick * 300, { a: 'fail', b: 'pass' });
  expect((await historyOf('a'))?.columns).toEqual({ gate: ['fail'], freshness: ['stale'] });
});

test('days in which nothing was published are a gap, over the end of a month too, and the day before them ended stale', async () => {
  await publish(FIRST, { a: 'pass' });
  const back = FIRST + 4 * DAY + HOUR;
  await publish(back, { a: 'pass' });
  const gaps = [{ from: FIRST, to: FIRST + 4 * DAY, reason: 'nothing_published' }];
  expect(parts()).toHaveLength(2);
  expect(await historyOf('a', 0)).toEqual({
    t: [FIRST],
    columns: { gate: ['pass'], freshness: ['stale'] },
    gaps,
  });
  expect(await historyOf('a', 1)).toEqual({
    t: [FIRST + 4 * DAY],
    columns: { gate: ['pass'], freshness: ['stale'] },
    gaps,
  });
  await publish(back + 300, { a: 'pass' });
  expect([parts().length, (await historyOf('a', 0))?.gaps]).toEqual([2, gaps]);
});

test('the day before a version that only added events ends as it would have without that version', async () => {
  await publish(FIRST, { a: 'pass' });
  const back = isoOf(FIRST + 4 * DAY);
  previous = await publishEvents(inFolder(dir), { as_of: back, generated_at: back, segments: [] });
  expect(previous?.as_of).toBe(back);
  await publish(FIRST + 4 * DAY + HOUR, { a: 'pass' });
  expect((await historyOf('a', 0))?.columns.freshness).toEqual(['stale']);
});

test('a day that follows without a pause leaves no gap, and a new dataset begins on its first day', async () => {
  await publish(FIRST + DAY - 300, { a: 'pass' });
  await publish(FIRST + DAY, { a: 'pass', b: 'pass' });
  expect(await historyOf('a')).toMatchObject({
    t: [FIRST, FIRST + DAY],
    columns: { freshness: ['fresh', 'fresh'] },
    gaps: [],
  });
  expect((await historyOf('b'))?.t).toEqual([FIRST + DAY]);
});

test('the days of a damaged file become a gap of their own, and a closed month is not written again', async () => {
  await publish(FIRST, { a: 'pass' });
  for (let day = 1; day <= 3; day++) await publish(FIRST + day * DAY, { a: 'pass' });
  const [january, february] = parts();
  expect(await historyOf('a', 0)).toMatchObject({ t: [FIRST, FIRST + DAY] });
  writeFileSync(fileOf(1), 'damaged');
  await publish(FIRST + 5 * DAY, { a: 'pass' });
  expect(parts()[0]).toEqual(january);
  expect(await historyOf('a', 1)).toMatchObject({
    t: [FIRST + 3 * DAY, FIRST + 5 * DAY],
    gaps: [{ from: february?.from, reason: 'record_lost' }, { reason: 'nothing_published' }],
  });
  expect(warnings).toEqual([expect.stringContaining('history of status-history for 2026-02 is lost')]);
  writeFileSync(fileOf(0), 'damaged');
  await publish(FIRST + 5 * DAY + 300, { a: 'pass' });
  expect(await historyOf('a', 0)).toEqual({
    t: [],
    columns: {},
    gaps: [{ from: january?.from, to: january?.to, reason: 'record_lost' }],
  });
});

test('months older than a history reaches are left out', async () => {
  await publish(FIRST, { a: 'pass' });
  await publish(FIRST + 500 * DAY, { a: 'pass' });
  expect((await historyOf('a'))?.t).toEqual([FIRST + 500 * DAY]);
  expect(parts().every(({ to }) => to > FIRST + 100 * DAY)).toBe(true);
});
