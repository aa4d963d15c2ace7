import { expect, test } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { killPublisher } from './processes/kill-publisher.ts';
import { withFolder } from './support/world.ts';

const MS_PER_KILL = 2_000;

test(
  'a publisher that is killed over and over shows readers whole versions only, in order, and no event is missed or repeated',
  () =>
    withFolder(async (dir) => {
      const figures = await killPublisher(dir, {
        kills: COUNTS.publishKills,
        reads: COUNTS.readsDuringKills,
      });
      const { faults, keys, ids, lastTick, acknowledged, kills, reads, versionsSeen } = figures;
      console.info({ kills, reads, versionsSeen, lastTick, events: ids.length });
      expect(faults).toEqual([]);
      expect(lastTick).toBeGreaterThanOrEqual(acknowledged);
      expect(versionsSeen).toBeGreaterThan(kills / 2);
      expect(keys).toEqual(Array.from({ length: lastTick }, (_, i) => `tick ${i + 1}`));
      expect(ids).toEqual([...new Set(ids)].sort());
    }),
  60_000 + COUNTS.publishKills * MS_PER_KILL,
);
