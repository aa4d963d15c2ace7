// What is published by a folder that has sources of one family only.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { NOW } from './completeness/family-inputs.ts';
import { oracleInputs } from './completeness/market-inputs.ts';

let world: FileWorld;
beforeAll(async () => {
  world = openFileWorld({ domains });
  for (const [table, rows] of Object.entries(oracleInputs.tables))
    world.write(table, { 'rows.ndjson': rows });
  expect(await world.run(NOW)).toBe(0);
});
afterAll(() => world.remove());

test.each(['lending-markets', 'market-regime', 'mev-sandwiches', 'restaking-latest', 'yield-opportunities'])(
  '%s, which also reads prices of feeds, is not taken for complete while only feeds have sources',
  (id) => {
    const { quality_gate, confidence } = world.dataset(id);
    expect(quality_gate.verdict).toBe('warn');
    expect(quality_gate.checks).toContainEqual({
      name: 'every input is there',
      verdict: 'warn',
      detail: 'no source is configured',
    });
    expect(confidence).toMatchObject({
      score: 0,
      level: 'low',
      reasons: expect.arrayContaining(['no source is configured']),
    });
  },
);

test.each(['feeds', 'oracle-pairs', 'event-rules'])('%s has all that it needs', (id) => {
  expect(world.dataset(id).confidence).toMatchObject({ level: 'high' });
  expect(world.words(id)).not.toContain('no source is configured');
});
