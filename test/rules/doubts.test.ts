// A doubt that a published row shows reaches whoever acts on it: the events about its subject, and the gate of its dataset.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Dataset } from '../../jobs/define/dataset.ts';
import { lineage } from '../../jobs/pipeline/models/lineage.ts';
import { domains } from '../../jobs/registry.ts';
import { EVENT_DOUBTS } from '../../schemas/event-doubts.ts';
import { modelsOf } from '../support/case-duckdb.ts';
import { PROJECT } from './source-tree.ts';

interface ListSchema {
  readonly items?: { readonly enum?: readonly string[] };
}

const datasets = domains.flatMap((domain): readonly Dataset[] => domain.datasets);

const listsOf = ({ row }: Dataset, name: RegExp) =>
  Object.entries(
    (row as { readonly properties?: Readonly<Record<string, ListSchema>> }).properties ?? {},
  ).filter(([property]) => name.test(property));

/** Named in the dataset `pegs` by the events that start and end a depeg, and by the conditions made of them. */
const BY_EVENTS_ALONE = ['pegs.doubts'];

test('every doubt of a row is a doubt that an event query of the same lineage can raise', async () => {
  const { models, events } = await modelsOf(domains);
  const textOf = new Map(models.map(({ name, sql }) => [name, sql]));
  const raised = events.map(({ reads, sql }) => {
    const tables = new Set(reads.flatMap((table) => [...lineage({ models }, table)]));
    return [sql, ...[...tables].flatMap((table) => textOf.get(table) ?? [])].join('\n');
  });
  const doubts = datasets.flatMap((dataset) =>
    listsOf(dataset, /^doubts$/).flatMap(([, { items }]) =>
      (items?.enum ?? []).map((doubt) => ({ dataset: dataset.id, doubt })),
    ),
  );
  expect(doubts.map(({ doubt }) => doubt)).toContain('round_went_back');
  for (const { dataset, doubt } of doubts) {
    expect(Object.keys(EVENT_DOUBTS), `${dataset}: ${doubt}`).toContain(doubt);
    expect(
      raised.some((sql) => new RegExp(`['",]${doubt}'`).test(sql)),
      `${dataset}: ${doubt}`,
    ).toBe(true);
  }
});

test('every list of doubts and of contradictory figures is read by an audit of its table', async () => {
  const { audits } = await modelsOf(domains);
  const lists = datasets.flatMap((dataset) =>
    listsOf(dataset, /^(doubts|state_flags|parameter_flags)$/).map(([column]) => ({ dataset, column })),
  );
  const unread = lists.filter(
    ({ dataset: { table }, column }) =>
      !audits.some((audit) => audit.table === table && audit.sql.includes(column)),
  );
  expect(unread.map(({ dataset, column }) => `${dataset.id}.${column}`)).toEqual(BY_EVENTS_ALONE);
});

const DOUBTS = ['derived.feed_doubt', 'derived.peg_doubt', 'derived.reference_doubt'];

/** Tables that the family computes from the answers of feeds. */
const isOfAnswers = (models: Parameters<typeof lineage>[0]['models'], table: string): boolean =>
  existsSync(`${PROJECT}jobs/families/oracles/${table}.sql`) &&
  lineage({ models }, table).has('obs.feed_round');

test('a feed that has gone back is a doubt of every event type that rests on the answers of feeds themselves', async () => {
  const { models, events } = await modelsOf(domains);
  const own = events.filter(({ reads }) => reads.some((table) => isOfAnswers(models, table)));
  const lacking = own.filter(
    ({ reads }) =>
      !reads.some((table) =>
        DOUBTS.some((doubt) => table === doubt || lineage({ models }, table).has(doubt)),
      ),
  );
  expect(own.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['oracle.stale', 'peg.depeg.start', 'risk.anomaly']),
  );
  expect(lacking.map(({ type }) => type)).toEqual([]);
});
