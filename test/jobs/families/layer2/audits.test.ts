import { afterAll, expect, test } from 'vitest';
import { layer2 } from '../../../../jobs/families/layer2/domain.ts';
import { runAudits } from '../../../../jobs/pipeline/gate/audit.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';

const DAY = 1_772_323_200;
const NOW = DAY + 86_399;

const { set, catalogue } = await prepareCases([layer2]);
const engine = await openScratchEngine();
afterAll(() => engine.close());

async function problemsOf(rows: readonly CaseRow[]) {
  const target = duckDbTarget(engine);
  await target.fill('derived.layer2_day', catalogue.tables('derived.layer2_day'), rows);
  const audits = set.audits.filter(({ table }) => table === 'derived.layer2_day');
  expect(audits).toHaveLength(1);
  const findings = await runAudits(engine, audits, { start: DAY, end: NOW + 1, now: NOW });
  return findings.flatMap(({ rows: found }) => found.map(({ problem }) => problem));
}

const row = (known_at: number, day = DAY) => ({
  network: 'arbitrum',
  metric: 'tx_count',
  day,
  known_at,
  value: 1,
});

test('a complete day passes', async () => {
  expect(await problemsOf([row(NOW)])).toEqual([]);
});

test.each([
  ['a day twice', [row(NOW), row(NOW)], 'twice'],
  ['half a day', [row(NOW - 1)], 'not over'],
  ['a figure from the future', [row(NOW + 1)], 'future'],
])('%s is named', async (_, rows, problem) => {
  expect(await problemsOf(rows)).toEqual([problem]);
});
