// Columns named `day` hold starts of days and columns named `hour` starts of hours. Deciding which models need computing relies on it.
import { expect, test } from 'vitest';
import { DEMO, demoFolder } from '../../../support/demo-folder.ts';
import { inWorld } from '../../../support/pipeline-world.ts';

const STEPS = { day: 86_400, hour: 3_600 };

test('every window column named day or hour holds whole days or hours', { timeout: 300_000 }, async () => {
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
