// A bucket that is copied after each call that changed it: a host that ends there leaves it so. A folder stands for the bucket.
import { cpSync } from 'node:fs';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { inFolder } from '../../../support/in-folder.ts';

const CHANGES: ReadonlySet<string | symbol> = new Set<keyof ObjectStore>([
  'put',
  'putOnce',
  'replace',
  'swap',
  'commit',
  'remove',
]);

export interface WatchedBucket {
  readonly store: ObjectStore;
  /** Folders with the bucket before the first change and after each. */
  readonly states: readonly string[];
}

export function watchedBucket(folder: string): WatchedBucket {
  const states = [`${folder}-0`];
  const store = new Proxy(inFolder(folder), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!CHANGES.has(name)) return member.bind(target);
      return async (...given: unknown[]) => {
        const answer: unknown = await member.apply(target, given);
        const copy = `${folder}-${states.length}`;
        cpSync(folder, copy, { recursive: true });
        states.push(copy);
        return answer;
      };
    },
  });
  return { store, states };
}
