import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EarlierFiles } from '../../../operations/backup/originals.ts';
import { copyPublished, readHead } from '../../../operations/backup/published-originals.ts';
import { Repository } from '../../../operations/backup/repository.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import { segmentIndexPath } from '../../../snapshots/layout.ts';
import { publishVersion } from '../../../snapshots/write.ts';
import { candidate, publication, T0, withFolder } from '../../snapshots/support/world.ts';
import { inFolder } from '../../support/in-folder.ts';

test('a backup has the indexes of segments, and is complete without those that are lost or damaged', () =>
  withFolder(async (dir) => {
    const store = inFolder(join(dir, 'snapshots'));
    const log = await openEventLog(store, [], { maxSegmentBytes: 1, minIndexedBytes: 0 });
    for (let n = 0; n < 3; n++) {
      await log.append([candidate(`k${n}`, T0 + n)], T0 + n);
      await publishVersion(store, publication(n, { segments: log.segments() }));
    }
    const paths = log.segments().map(({ name, index }) => segmentIndexPath(name, index?.sha256 ?? ''));
    const copied = async (place: string) => {
      const repository = new Repository(inFolder(join(dir, place)), { nowMs: () => T0, program: '1' });
      await repository.begin('one');
      const head = await readHead(store);
      if (head === null) throw new Error('nothing is published');
      const copy = await copyPublished(head, { store, repository, earlier: new EarlierFiles(null) });
      expect({ damage: copy.damage, isHeadThere: copy.isHeadThere }).toEqual({
        damage: [],
        isHeadThere: true,
      });
      return copy.files.map(({ path }) => path).filter((path) => path.endsWith('.index'));
    };
    expect(await copied('whole')).toEqual(paths.map((path) => `snapshots/${path}`));
    await rm(store.nameOf(paths[0] ?? ''));
    await truncate(store.nameOf(paths[1] ?? ''), 40);
    expect(await copied('damaged')).toEqual([`snapshots/${paths[2]}`]);
  }));
