// What a folder publishes that has sources for only one family, or only for some of its tables.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { type FamilyInputs, NOW } from './completeness/family-inputs.ts';
import { lendingInputs, oracleInputs } from './completeness/market-inputs.ts';
import { networkAInputs } from './completeness/network-inputs.ts';
import { governanceInputs } from './completeness/people-inputs.ts';

/** They read prices of feeds, and more. */
const READERS = [
  'lending-markets',
  'market-regime',
  'mev-sandwiches',
  'restaking-latest',
  'yield-opportunities',
];
const OF_FEEDS = ['feeds', 'oracle-pairs', 'event-rules'];

let world: FileWorld;
beforeAll(async () => {
  world = openFileWorld({ domains: neededFor({ datasets: [...READERS, ...OF_FEEDS] }) });
  for (const [table, rows] of Object.entries(oracleInputs.tables))
    world.write(table, { 'rows.ndjson': rows });
  expect(await world.run(NOW)).toBe(0);
});
afterAll(() => world.remove());

test.each(READERS)(
  '%s, which also reads prices of feeds, is not taken for complete while only feeds have sources',
  (id) => {
    const { quality_gate, confidence } = world.dataset(id);
    expect(quality_gate.verdict).toBe('not_evaluated');
    expect(quality_gate.checks).toContainEqual({
      name: 'every input is there',
      verdict: 'not_evaluated',
      detail: 'no source is configured',
    });
    expect(confidence).toMatchObject({
      score: 0,
      level: 'low',
      reasons: expect.arrayContaining(['no source is configured']),
    });
  },
);

test.each(OF_FEEDS)('%s has all that it needs', (id) => {
  expect(world.dataset(id).confidence).toMatchObject({ level: 'high' });
  expect(world.words(id)).not.toContain('no source is configured');
});

/** A folder that has all inputs of a dataset except those of some tables. */
async function without(
  { id, inputs: { domains: own, tables } }: { readonly id: string; readonly inputs: FamilyInputs },
  ...left: readonly string[]
): Promise<FileWorld> {
  const raw = own.flatMap((domain) => domain.raw).filter(({ name }) => name in tables);
  const needs = { datasets: [id], tables: raw.map(({ observations }) => observations.model) };
  const some = openFileWorld({ domains: neededFor(needs, own) });
  onTestFinished(() => some.remove());
  for (const [table, rows] of Object.entries(tables))
    if (!left.includes(table)) some.write(table, { 'rows.ndjson': rows });
  expect(await some.run(NOW)).toBe(0);
  return some;
}

const wholeOf = (table: string) => `no source is configured for ${table}`;

test('a table without a source next to others that have one is named, and lowers the confidence by its share', async () => {
  const lending = { id: 'lending-markets', inputs: lendingInputs };
  const whole = await without(lending);
  const some = await without(lending, 'market_parameter', 'market_oracle');
  const missing = wholeOf('market_oracle, market_parameter');
  const before = whole.dataset('lending-markets').confidence;
  expect(before.reasons.join()).not.toContain('no source is configured');
  const { quality_gate, confidence } = some.dataset('lending-markets');
  expect(quality_gate.checks).toContainEqual({
    name: 'every input is there',
    verdict: 'warn',
    detail: missing,
  });
  expect(confidence.reasons).toContain(missing);
  expect(confidence.score).toBeLessThanOrEqual(before.score / 2);
  expect(confidence.level).not.toBe('high');
});

test.each([
  ['network-a-activity', networkAInputs, [], null],
  ['network-a-activity', networkAInputs, ['network_a_transaction'], 'no source is configured'],
  ['governance', governanceInputs, ['governor_event'], null],
  ['governance', governanceInputs, ['governance_electorate'], wholeOf('governance_electorate')],
] as const)(
  '%s, case %#: a table with an alternative that has a source is not missing',
  async (id, inputs, left, missing) => {
    const some = await without({ id, inputs }, ...left);
    const reasons = some.dataset(id).confidence.reasons.filter((reason) => reason.startsWith('no source'));
    expect(reasons).toEqual(missing === null ? [] : [missing]);
  },
);

test('a table supplements another one of its family', () => {
  for (const { raw } of domains)
    for (const { name, supplements = name } of raw)
      expect(
        raw.map((table) => table.name),
        `${name}, ${supplements}`,
      ).toContain(supplements);
});

test('alternative tables are of one family, and each names the other', () => {
  for (const { raw } of domains)
    for (const { name, alternatives = [] } of raw)
      for (const other of alternatives)
        expect(raw.find((table) => table.name === other)?.alternatives, `${name}, ${other}`).toContain(name);
});
