import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping, FileDelivery } from '../../../../jobs/define/source.ts';
import { networkA, networkAStatistics } from '../../../../jobs/families/network-a/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY = 86_400;
const START = 1_704_067_200;

let world: DomainWorld;
let dir: string;
beforeEach(async () => {
  world = await openDomainWorld(networkA);
  dir = temporaryFolder('changing');
});
afterEach(async () => {
  await world.close();
  rmSync(dir, { recursive: true });
});

const OLD_NAMES: { readonly [field: string]: FieldMapping } = {
  network: { value: 'ethereum' },
  observed_at: { from: 'day' },
  num_validators: { from: 'validators' },
  total_supply_native: { from: 'supply' },
};
const BOTH_NAMES = { ...OLD_NAMES, num_validators: { from: ['validators', 'active_validators'] } };

function land(name: string, lines: readonly string[], fields = OLD_NAMES) {
  const path = join(dir, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  const format: FileDelivery['format'] = name.endsWith('.csv') ? 'csv' : 'ndjson';
  return world.land('network_a_stake', { kind: 'file', path, format, fields });
}

const line = (day: number, validators: string) =>
  `{"day":${START + day * DAY},"${validators}":${1_000 + day},"supply":${120 + day}}`;

async function published(days: number) {
  await world.compute({ start: START, end: START + days * DAY, now: START + days * DAY - 1 });
  return world.document(networkAStatistics, 'ethereum');
}

test('a field that gets another name in the middle of a file is read by either', async () => {
  const lines = [line(0, 'validators'), line(1, 'active_validators'), line(2, 'active_validators')];
  expect(await land('days.ndjson', lines, BOTH_NAMES)).toMatchObject({ rows_in: 3, rows_landed: 3 });
  expect(await published(3)).toMatchObject([
    { num_validators: 1_002, daily_supply_change: 1 },
    { num_validators: 1_001 },
    { num_validators: 1_000, daily_supply_change: null },
  ]);
});

test('rows without a name that is needed wait in quarantine, and the days before stay as they are', async () => {
  const receipt = await land('days.ndjson', [line(0, 'validators'), line(1, 'active_validators')]);
  expect(receipt).toMatchObject({
    rows_in: 2,
    rows_landed: 1,
    rows_quarantined: 1,
    reasons: { 'num_validators: missing': 1 },
    over_limit: true,
  });
  expect(await published(2)).toMatchObject([{ num_validators: 1_000 }]);
});

test('a column that is gone is named with those that are there, and nothing of the file lands', async () => {
  const day = (number: number) => `${START + number * DAY},${1_000 + number},${120 + number}`;
  await land('first.csv', ['day,validators,supply', day(0)]);
  await expect(land('second.csv', ['day,active_validators,supply', day(1)])).rejects.toThrow(
    /no column "validators".*The header has "day", "active_validators", "supply"/,
  );
  expect(await published(2)).toMatchObject([{ num_validators: 1_000 }]);
});

test('an optional field may disappear and return, and is unknown while it is gone', async () => {
  const without = `{"day":${START + DAY},"validators":1001}`;
  expect(await land('days.ndjson', [line(0, 'validators'), without, line(2, 'validators')])).toMatchObject({
    rows_landed: 3,
  });
  expect(await published(3)).toMatchObject([
    { total_supply: 122, daily_supply_change: null },
    { total_supply: null, daily_supply_change: null },
    { total_supply: 120 },
  ]);
});
