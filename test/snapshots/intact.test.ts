// How publishing checks the files of the previous version in the store: concurrently, and each once.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { dataset, publication, withFolder } from './support/world.ts';

const DATASETS = 40;
/** Concurrent requests of one publication. */
const MAX_AT_ONCE = 16;

/** The store, the keys whose facts were requested, and the maximum number of concurrent requests. */
function counted(store: ObjectStore) {
  const asked: string[] = [];
  let running = 0;
  const max = { atOnce: 0 };
  const facts: ObjectStore['facts'] = async (key) => {
    asked.push(key);
    max.atOnce = Math.max(max.atOnce, ++running);
    await wait(1);
    running--;
    return store.facts(key);
  };
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === 'facts') return facts;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: counting, asked, max };
}

const datasets = (tick: number) =>
  Array.from({ length: DATASETS }, (_, index) => dataset(`set-${index}`, { at: index === 0 ? tick : 0 }));

test('unchanged files are checked once each, concurrently', () =>
  withFolder(async (dir) => {
    await publishVersion(inFolder(dir), publication(1, { datasets: datasets(1) }));
    const { store, asked, max } = counted(inFolder(dir));
    await publishVersion(store, publication(2, { datasets: datasets(2) }));
    const files = asked.filter((key) => key.startsWith('datasets/'));
    // The old file of the changed dataset, and the new one.
    expect(files).toHaveLength(DATASETS + 1);
    expect(new Set(files).size).toBe(DATASETS + 1);
    expect(max.atOnce).toBe(MAX_AT_ONCE);
  }));

test('a file that has disappeared is written again', () =>
  withFolder(async (dir) => {
    const first = await publishVersion(inFolder(dir), publication(1, { datasets: datasets(1) }));
    const lost = `datasets/set-7/${first.manifest.datasets['set-7']?.sha256}.ndjson`;
    await inFolder(dir).remove([lost]);
    const { damage } = await publishVersion(inFolder(dir), publication(2, { datasets: datasets(2) }));
    expect(damage.map(({ file }) => file)).toEqual([inFolder(dir).nameOf(lost)]);
    expect(await inFolder(dir).facts(lost)).not.toBeNull();
  }));
