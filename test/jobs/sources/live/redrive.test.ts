// Bad rows of fetched sources, redriven after their mapping was corrected.
import { afterEach, expect, test } from 'vitest';
import { tvlReading } from '../../../../jobs/families/anomalies/raw.ts';
import { landingSources } from '../../../../jobs/sources/live/fetch/landing-sources.ts';
import { landedRows, openScratch } from '../../ingest/scratch.ts';
import { json } from './http/replay-server.ts';
import { openFixture, START, sourceOf } from './fetching-fixture.ts';
import { landUntil } from './land-recordings.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Lands one body with the wrong mapping, and redrives it as a run with the right one would. */
async function redriven(fields: object, corrected: object) {
  const body = json([{ name: 'aave', tvl: 5 }]);
  const { start, clock, folder, close } = await openFixture(() => body);
  const scratch = await openScratch({ key: new Uint8Array(32).fill(7) });
  closing.push(close, () => scratch.close());
  const NOW = START / 1000;
  await start(sourceOf({ records: '', fields })).once();
  expect(
    await landUntil(scratch, folder, {
      source: sourceOf({ records: '', fields }),
      tables: [tvlReading],
      to: NOW + 60,
    }),
  ).toMatchObject({
    quarantined: 1,
  });
  await clock.sleep(3_600_000);
  const [source] = landingSources([sourceOf({ records: '', fields: corrected })], folder, () => true);
  const context = { interval: { from: 0, to: NOW + 7_200 }, fetchedAt: NOW + 7_200 };
  const { fields: given = {}, constants = [] } = source ?? {};
  await scratch.ingest.redrive({ table: tvlReading, context, source: 'things', fields: given, constants });
  const rows = await landedRows(scratch, tvlReading);
  return rows.map(({ protocol, tvl_usd, observed_at }) => [protocol, tvl_usd, observed_at]);
}
const AS_OF = { recording: 'as_of' };

test('a corrected mapping is redriven, and rows keep the facts of their own recording', async () => {
  const wrong = { protocol: 'project', observed_at: AS_OF, tvl_usd: 'tvl' };
  expect(await redriven(wrong, { ...wrong, protocol: 'name' })).toEqual([['aave', 5, START / 1000]]);
});

test('with a mapping that needs another fact of the recording there is no redrive: a run reads the recording again', async () => {
  const wrong = { protocol: 'name', observed_at: 'at', tvl_usd: 'tvl' };
  expect(await redriven(wrong, { ...wrong, observed_at: AS_OF })).toEqual([]);
});
