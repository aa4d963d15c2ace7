// Columns named `day` hold the beginnings of days and columns named `hour` those of hours: which models need computing rests on it.
import { expect, test } from 'vitest';
import { DEMO, demoFolder } from '../../support/demo-folder.ts';
import { inWorld } from '../../support/pipeline-world.ts';

const STEPS = { day: 86_400, hour: 3_600 };

test('days and hours are multiples in every table that has rows of them', async () => {
  const folder = await demoFolder();
  await inWorld(folder, DEMO, async ({ warehouse, models }) => {
    let columns = 0;
    for (const { name, kind, time } of models.models) {
      for (const [column, step] of Object.entries(STEPS)) {
        if (kind !== 'window' || time !== column) continue;
        columns += 1;
        const odd = await warehouse.rows(
          `select ${column} from ${name} where ${column} % ${step} <> 0 limit 1`,
        );
        expect(odd, name).toEqual([]);
      }
    }
    expect(columns).toBeGreaterThan(30);
  });
});
