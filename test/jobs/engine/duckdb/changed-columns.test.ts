// Rows that have changed are found whatever the columns of a model are called: the statements that compare rows have names of their own.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelWorld, openModelWorld, span } from '../../../support/model-world.ts';

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld();
});
afterEach(() => world.close());

const NAMES = ['part', 'side', 'rows', 'total', 'mixed', 'old', 'batch', 'a_row'];

test.each(['full', 'window', 'merge'] as const)(
  'a new row of a %s model is written with unchanged ones, whatever its columns are called',
  async (kind) => {
    const columns = NAMES.map((name) => `meter as ${name}`).join(', ');
    const time = kind === 'window' ? '   time: read_at   order: meter, read_at' : '';
    await world.prepare({
      'derived.named.sql': `-- Readings whose columns have the names that statements use.
-- kind: ${kind}   grain: meter, read_at${time}
select meter, read_at, level, ${columns} from obs.reading order by meter`,
    });
    const model = world.model('derived.named');
    const write = async () => {
      if (kind === 'full') await world.warehouse.rebuild(model, span(0, 86_400));
      else if (kind === 'window') await world.warehouse.replace(model, span(0, 86_400));
      else await world.warehouse.merge(model, span(0, 86_400));
      const rows = await world.rows('derived.named order by meter');
      return rows.map((row) => [row['meter'], ...NAMES.map((name) => row[name])]);
    };
    const row = (meter: string) => [meter, ...NAMES.map(() => meter)];
    await world.absorb([
      await world.land('first', [
        ['m', 10, 1],
        ['z', 10, 1],
      ]),
    ]);
    expect(await write()).toEqual([row('m'), row('z')]);
    const meters = ['m', 'z'];
    for (const meter of 'abcdefghijklnopqrstuvwxy') {
      await world.absorb([await world.land(meter, [[meter, 10, 1]])]);
      meters.push(meter);
      expect(await write()).toEqual(meters.toSorted().map(row));
    }
  },
);
