// Every audit reaches a dataset: what it finds must appear in the gate of one (decision 61).
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { isAbout } from '../../jobs/pipeline/gate/audit.ts';
import { lineage } from '../../jobs/pipeline/models/lineage.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import { domains } from '../../jobs/registry.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';

let engine: DuckDb;
beforeAll(async () => {
  engine = await openScratchEngine();
});
afterAll(() => engine.close());

test('every audit reaches a dataset', async () => {
  const models = await loadModels(engine, domains);
  const published = domains.flatMap(({ datasets }) => datasets.map(({ table }) => lineage(models, table)));
  const lost = models.audits.filter((audit) => !published.some((tables) => isAbout(audit, tables)));
  expect(
    lost.map(
      ({ file }) =>
        `${file}: no dataset descends from it; name the out tables it is about in a header "reaches: out.x"`,
    ),
  ).toEqual([]);
});
