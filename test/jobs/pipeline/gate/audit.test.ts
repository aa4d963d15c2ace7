import { NO_NEEDS, NO_TIME_USE } from '../../../../jobs/incremental/dependencies.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { doubtsAbout, isAbout, runAudits } from '../../../../jobs/pipeline/gate/audit.ts';
import type { Audit } from '../../../../jobs/pipeline/models/model.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

let engine: DuckDb;
beforeEach(async () => {
  engine = await openScratchEngine();
  await engine.execute('create table obs.reading as select range as read_at from range(2_000)');
});
afterEach(() => engine.close());

const SPAN = { start: 0, end: 50, now: 49 };
const audit = (sql: string, verdict: Audit['verdict'] = 'fail'): Audit => ({
  name: 'obs.reading.audit',
  table: 'obs.reading',
  domain: 'meters',
  file: 'jobs/families/meters/obs.reading.audit.sql',
  about: 'No reading is late.',
  sql,
  reads: ['obs.reading'],
  times: NO_TIME_USE,
  needs: NO_NEEDS,
  reaches: [],
  verdict,
});

test('an audit that finds nothing is not mentioned', async () => {
  expect(
    await runAudits(engine, [audit('select read_at from obs.reading where read_at < @start')], SPAN),
  ).toEqual([]);
});

test('an audit that finds rows names its table, its reason and the rows', async () => {
  const findings = await runAudits(
    engine,
    [audit('-- why\nselect read_at from obs.reading where read_at = @now -- late')],
    SPAN,
  );
  expect(findings).toEqual([
    {
      audit: 'obs.reading.audit',
      table: 'obs.reading',
      reaches: [],
      about: 'No reading is late.',
      rows: [{ read_at: 49 }],
      verdict: 'fail',
      domain: 'meters',
      sql: expect.stringContaining('read_at = cast(49 as bigint)'),
    },
  ]);
});

test('no more than a thousand rows are read', async () => {
  const [finding] = await runAudits(engine, [audit('select read_at from obs.reading')], SPAN);
  expect(finding?.rows).toHaveLength(1_000);
});

const ABOUT = new Set(['obs.reading']);
const WARNING = "select 'meter 7 is wild' as reason, 0.25e0 as weight";

test('a warning is a doubt about the datasets that depend on its table, and about no others', async () => {
  const findings = await runAudits(engine, [audit(WARNING, 'warn')], SPAN);
  expect(doubtsAbout(findings, ABOUT)).toEqual([{ reason: 'meter 7 is wild', weight: 0.25 }]);
  expect(doubtsAbout(findings, new Set(['obs.other']))).toEqual([]);
});

test('an audit also applies to the tables that it reaches', () => {
  const about = { table: 'derived.gap', reaches: ['out.reading'] };
  expect(isAbout(about, new Set(['out.reading']))).toBe(true);
  expect(isAbout(about, ABOUT)).toBe(false);
});

test('a finding that stops a publication is not a doubt', async () => {
  expect(doubtsAbout(await runAudits(engine, [audit(WARNING)], SPAN), ABOUT)).toEqual([]);
});

test.each([
  "select 'x' as reason",
  "select 'x' as reason, 1.5e0 as weight",
  'select 1 as reason, 0e0 as weight',
])('a malformed warning is refused: %s', async (sql) => {
  const findings = await runAudits(engine, [audit(sql, 'warn')], SPAN);
  expect(() => doubtsAbout(findings, ABOUT)).toThrow(/return `reason` \(text\) and `weight`/);
});
