import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { development } from '../../../../jobs/families/development/domain.ts';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { layer2 } from '../../../../jobs/families/layer2/domain.ts';
import { networkA } from '../../../../jobs/families/network-a/domain.ts';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { restaking } from '../../../../jobs/families/restaking/domain.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { datasetHashes, inWorld, testFolder } from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterEach(() => vi.unstubAllEnvs());

const families = [development, governance, layer2, networkA, networkB, restaking, social];
const domains = neededFor({ datasets: families.flatMap(({ datasets }) => datasets.map(({ id }) => id)) });
/** The morning on which daylight saving time began in Berlin. */
const NOW = Date.UTC(2026, 2, 29, 9, 30) / 1000;
const SPAN_S = 34 * 3_600;
const tables = domains.flatMap(({ raw }) => raw.map(({ name }) => name));

/** Hashes of the datasets every family publishes for the days around the change. */
async function published(): Promise<{ readonly [dataset: string]: string }> {
  const folder = testFolder();
  const settings = { seed: 3, feeds: 40, days: 4, incidents: false, startedAt: NOW };
  const sources = families.flatMap(({ demo }) => demo?.(settings) ?? []);
  try {
    await inWorld(folder.dir, { now: NOW, domains }, (world) =>
      run(
        { ...world, sources: sources.filter(({ table }) => tables.includes(table)) },
        {
          interval: { from: NOW - SPAN_S, to: NOW },
          gather: true,
          detect: 'nothing',
          publish: true,
        },
      ),
    );
    return datasetHashes(folder.dir);
  } finally {
    folder.remove();
  }
}

let inUtc: { readonly [dataset: string]: string };
beforeAll(async () => {
  vi.stubEnv('TZ', 'UTC');
  inUtc = await published();
});

const ZONES = [
  ['Europe/Berlin', 11],
  ['Asia/Kathmandu', 15],
  ['Pacific/Apia', 22],
] as const;

test.each(ZONES.slice(0, COUNTS.timeZones))(
  'the days of every family are UTC days when the local time zone is %s',
  async (zone, hour) => {
    vi.stubEnv('TZ', zone);
    expect(new Date(NOW * 1000).getHours()).toBe(hour);
    const ids = domains.flatMap(({ datasets }) => datasets.map(({ id }) => id));
    expect(Object.keys(inUtc)).toEqual(expect.arrayContaining(ids));
    expect(await published()).toEqual(inUtc);
  },
);
