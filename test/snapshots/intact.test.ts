// How publishing asks a store about the files of the version before: many at the same time, and each once.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ObjectStore } from '../../snapshots/object-store.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { dataset, publication, withFolder } from './support/world.ts';

const DATASETS = 40;
/** Requests of one publication at the same time. */
const MAX_AT_ONCE = 16;

/** The store, and how often it was asked for the facts of each object, and how many at most at the same time. */
function counted(store: ObjectStore) {
  const asked: string[] = [];
  let running = 0;
  const most = { atOnce: 0 };
  const facts: ObjectStore['facts'] = async (key) => {
    asked.push(key);
    most.atOnce = Math.max(most.atOnce, ++running);
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
  return { store: counting, asked, most };
}

const datasets = (tick: number) =>
  Array.from({ length: DATASETS }, (_, index) => dataset(`set-${index}`, { at: index === 0 ? tick : 0 }));

test('unchanged files are asked for once each, several at the same time', () =>
  withFolder(async (dir) => {
    await publishVersion(inFolder(dir), publication(1, { datasets: datasets(1) }));
    const { store, asked, most } = counted(inFolder(dir));
    await publishVersion(store, publication(2, { datasets: datasets(2) }));
    const files = asked.filter((key) => key.startsWith('datasets/'));
    // The old file of the changed dataset, and the new one.
    expect(files).toHaveLength(DATASETS + 1);
    expect(new Set(files).size).toBe(DATASETS + 1);
    expect(most.atOnce).toBe(MAX_AT_ONCE);
  }));

test('a file that disappeared is written again', () =>
  withFolder(async (dir) => {
    const first = await publishVersion(inFolder(dir), publication(1, { datasets: datasets(1) }));
    const lost = `datasets/set-7/${first.manifest.datasets['set-7']?.sha256}.ndjson`;
    await inFolder(dir).remove([lost]);
    const { damage } = await publishVersion(inFolder(dir), publication(2, { datasets: datasets(2) }));
    expect(damage.map(({ file }) => file)).toEqual([inFolder(dir).nameOf(lost)]);
    expect(await inFolder(dir).facts(lost)).not.toBeNull();
  }));
