// What a check finds is held back by subject, in datasets and events: every failing audit names a subject, and whatever rests on a raw
// table or an audit either shows the subjects that it names, or is listed here as resting on them without being about them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyTablesOf } from '../../jobs/define/domain.ts';
import { columnsOf, type SubjectId } from '../../jobs/define/subject.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import { NO_TIME, renderParameters } from '../../jobs/engine/parameters.ts';
import { type Hold, isIdentified, isShown, reachesOf } from '../../jobs/pipeline/gate/holds.ts';
import { kindIn, kindsOf } from '../../jobs/pipeline/gate/subjects.ts';
import { lineage } from '../../jobs/pipeline/models/lineage.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import type { Audit, ModelSet } from '../../jobs/pipeline/models/model.ts';
import { DEFAULT_POLICY } from '../../jobs/policies.ts';
import { domains } from '../../jobs/registry.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';

let engine: DuckDb;
let models: ModelSet;
const kinds = kindsOf(domains);
beforeAll(async () => {
  engine = await openScratchEngine();
  models = await loadModels(engine, domains);
  const warehouse = new DuckDbWarehouse(engine);
  for (const table of policyTablesOf(domains)) await warehouse.bindPolicy(table, table.rows(DEFAULT_POLICY));
  await warehouse.prepare({ models: models.models, raw: domains.flatMap(({ raw }) => raw) });
});
afterAll(() => engine.close());

const failing = () => models.audits.filter(({ verdict }) => verdict === 'fail');

async function kindOf({ sql }: Audit) {
  const rows = await engine.rows(`describe ${renderParameters(sql, NO_TIME)}`);
  return kindIn(kinds, new Set(rows.map((row) => String(row['column_name']))));
}

test('every failing audit names a subject', async () => {
  const nameless: string[] = [];
  for (const audit of failing())
    if ((await kindOf(audit)) === undefined)
      nameless.push(`${audit.file}: return the columns that name a subject, such as chain and feed_address`);
  expect(nameless).toEqual([]);
});

/** Everything that can name a subject: a hold of a made-up one for each. */
async function possibleHolds(): Promise<readonly Hold[]> {
  const hold = (domain: string, table: string, fields: readonly string[]): Hold => ({
    subject: new Map(fields.map((field) => [field, 'x'])),
    tables: [table],
    domain,
    check: table,
    reason: table,
  });
  const audits: Hold[] = [];
  for (const audit of failing()) audits.push(hold(audit.domain, audit.table, (await kindOf(audit)) ?? []));
  const raw = domains.flatMap(({ id, raw: tables }) =>
    tables
      .filter(({ isAboutSources }) => isAboutSources !== true)
      .map(({ name, subject }) => hold(id, `landing.${name}`, subject)),
  );
  return [...audits, ...raw];
}

const restsOn = (tables: readonly string[], { tables: found }: Hold): boolean =>
  tables.some((table) => found.some((one) => lineage(models, table).has(one)));

/**
 * Published with the held subjects named in the gate: registries decide only which assets are listed, and reports of holdings which
 * vaults a condition of a market mentions, and reports of backing what the assets behind a vault rest on.
 */
const NAMED_ONLY = [
  'conditions <- landing.asset_backing',
  'conditions <- landing.vault_allocation',
  'return-inputs <- landing.lending_market',
  'return-inputs <- landing.yield_pool',
  'vault-holdings <- landing.asset_backing',
];

test('what rests on a subject that a check can name shows it, or is listed', async () => {
  const holds = await possibleHolds();
  const tables = new Set(models.models.map(({ name }) => name));
  const reaches = await reachesOf(engine, holds, { domains, tables });
  const found: string[] = [];
  for (const { id, table, subject } of domains.flatMap(({ datasets }) => datasets)) {
    if ('none' in subject) continue;
    for (const reach of reaches) {
      if (!restsOn([table], reach.hold)) continue;
      if ('everything' in subject && restsOn([subject.everything.table], reach.hold)) continue;
      const isNamed =
        'ids' in subject ? isIdentified(subject.ids, reach) : isShown(columnsOf(subject), reach);
      if (!isNamed) found.push(`${id} <- ${reach.hold.check}`);
    }
  }
  expect(found.toSorted()).toEqual(NAMED_ONLY);
});

test('an event that rests on a subject that a check can name is about it, or about everything', async () => {
  const holds = await possibleHolds();
  const tables = new Set(models.models.map(({ name }) => name));
  const reaches = await reachesOf(engine, holds, { domains, tables });
  const found: string[] = [];
  for (const { type, subject } of domains.flatMap(({ detectors }) => detectors)) {
    if ('everything' in subject) continue;
    const reads = models.events.find((event) => event.type === type)?.reads ?? [];
    for (const reach of reaches)
      if (restsOn(reads, reach.hold) && !isIdentified(subject as readonly SubjectId[], reach))
        found.push(`${type} <- ${reach.hold.check}`);
  }
  expect(found).toEqual([]);
});
