import { expect, test } from 'vitest';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';
import { requireConditions } from '../../../../platform/storage/s3/open-store.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { withFolder } from '../../../snapshots/support/world.ts';

/** A bucket that treats conditional writes as plain ones. */
const ignoring = (store: ObjectStore, name: 'putOnce' | 'swap'): ObjectStore =>
  new Proxy(store, {
    get(target, asked) {
      const member: unknown = Reflect.get(target, asked);
      if (asked !== name) return typeof member === 'function' ? member.bind(target) : member;
      if (name === 'swap') return async () => ({ tag: 'any' });
      return async (key: string, chunks: readonly Uint8Array[]) => {
        await target.put(key, chunks);
        return 'made';
      };
    },
  });

test.each([
  ['putOnce', /ignores If-None-Match or If-Match \(made, made, swapped, lost\)/],
  ['swap', /\(made, there, swapped, swapped\)\. Use a store with conditional writes/],
] as const)(
  'a store that ignores the condition of %s is rejected, and nothing is left in it',
  (name, message) =>
    withFolder(async (dir) => {
      const store = inFolder(dir);
      await expect(requireConditions(ignoring(store, name), 'x')).rejects.toThrow(message);
      expect(await store.list('')).toEqual([]);
      await requireConditions(store, 'x');
    }),
);
