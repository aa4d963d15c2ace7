import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '../../../jobs/engine/engine.ts';
import { runAudits } from '../../../jobs/pipeline/audit.ts';
import type { Audit } from '../../../jobs/pipeline/model.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await openScratchEngine();
  await engine.execute('create table obs.reading as select range as read_at from range(100)');
});
afterEach(() => engine.close());

const SPAN = { start: 0, end: 50, now: 49 };
const audit = (sql: string): Audit => ({
  name: 'obs.reading.audit',
  table: 'obs.reading',
  domain: 'meters',
  file: 'jobs/meters/obs.reading.audit.sql',
  about: 'No reading is late.',
  sql,
  reads: ['obs.reading'],
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
      about: 'No reading is late.',
      rows: [{ read_at: 49 }],
    },
  ]);
});

test('no more than twenty rows are named', async () => {
  const [finding] = await runAudits(engine, [audit('select read_at from obs.reading')], SPAN);
  expect(finding?.rows).toHaveLength(20);
});
