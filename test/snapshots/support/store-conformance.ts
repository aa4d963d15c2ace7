// What every object store must do, as one suite for all implementations. `another` opens the same place as a second process would.
import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';

export interface TestedStore {
  readonly store: ObjectStore;
  readonly another: () => ObjectStore;
}

const bytesOf = (text: string) => Buffer.from(text);

type Check = (tested: TestedStore) => Promise<void>;

/** A requirement of every store, and its check. */
const CHECKS: { readonly [what: string]: Check } = {
  async 'has nothing at first'({ store }) {
    expect(await store.get('a/b')).toBe(null);
    expect(await store.getTagged('a')).toBe(null);
    expect(await store.open('a/b')).toBe(null);
    expect(await store.facts('a/b')).toBe(null);
    expect(await store.list('')).toEqual([]);
    expect(await store.names('a/')).toEqual([]);
    await store.remove(['a/b', 'c']);
    await store.tidy();
  },
  async 'gives back what was written, with its size, and replaces it'({ store, another }) {
    await store.put('datasets/x/1.ndjson', [bytesOf('one '), bytesOf('two')]);
    expect((await another().get('datasets/x/1.ndjson'))?.toString()).toBe('one two');
    expect((await another().facts('datasets/x/1.ndjson'))?.bytes).toBe(7);
    await store.put('datasets/x/1.ndjson', [bytesOf('three')]);
    expect((await store.get('datasets/x/1.ndjson'))?.toString()).toBe('three');
    await store.put('empty', []);
    expect(await store.get('empty')).toEqual(Buffer.alloc(0));
  },
  async 'takes names with any character that a dataset or a version may have'({ store }) {
    const keys = ['datasets/a.b-c_1/x~1.table.json', 'datasets/a+b c/é.ndjson', "datasets/a'()!*/1"];
    for (const key of keys) await store.put(key, [bytesOf(key)]);
    for (const key of keys) expect((await store.get(key))?.toString()).toBe(key);
    expect(await store.list('')).toEqual(keys.toSorted());
  },
  async 'lists keys below a prefix and the next part of their names'({ store }) {
    for (const key of ['b/2/y', 'b/1/x', 'b/3', 'a', 'bc/1']) await store.put(key, [bytesOf(key)]);
    expect(await store.list('')).toEqual(['a', 'b/1/x', 'b/2/y', 'b/3', 'bc/1']);
    expect(await store.list('b/')).toEqual(['b/1/x', 'b/2/y', 'b/3']);
    expect(await store.names('b/')).toEqual(['1', '2', '3']);
  },
  async 'lists more keys than fit a page'({ store }) {
    const keys = Array.from({ length: 250 }, (_, n) => `events/${String(n).padStart(5, '0')}`);
    for (let start = 0; start < keys.length; start += 50)
      await Promise.all(keys.slice(start, start + 50).map((key) => store.replace(key, bytesOf('1'))));
    expect(await store.list('events/')).toEqual(keys);
    expect(await store.names('events/')).toHaveLength(keys.length);
    await store.remove(keys);
    expect(await store.list('')).toEqual([]);
  },
  async 'reads ranges, also at and past the end'({ store }) {
    await store.put('log', [bytesOf('0123456789')]);
    const opened = await store.open('log');
    const target = Buffer.alloc(4);
    expect([await opened?.read(target, 3), target.toString()]).toEqual([4, '3456']);
    expect([await opened?.read(target, 8), target.toString('latin1', 0, 2)]).toEqual([2, '89']);
    expect(await opened?.read(target, 10)).toBe(0);
    await opened?.close();
  },
  async 'carries an object of many megabytes'({ store }) {
    const chunks = Array.from({ length: 40 }, (_, n) => Buffer.alloc(1 << 20, n));
    await store.put('large', chunks);
    expect((await store.get('large'))?.equals(Buffer.concat(chunks))).toBe(true);
    const end = Buffer.alloc(3);
    const opened = await store.open('large');
    expect([await opened?.read(end, (40 << 20) - 2), end[1]]).toEqual([2, 39]);
    await opened?.close();
  },
  async 'makes an object once: of 32 writers one does, and the bytes are its own'({ store, another }) {
    const writers = Array.from({ length: 32 }, (_, n) => (n % 2 === 0 ? store : another()));
    const results = await Promise.all(
      writers.map((writer, n) => writer.putOnce('events/segment', [bytesOf(`writer ${n}`)])),
    );
    const winners = results.flatMap((result, n) => (result === 'made' ? [n] : []));
    expect(winners).toHaveLength(1);
    expect((await store.get('events/segment'))?.toString()).toBe(`writer ${winners[0]}`);
    expect(await store.putOnce('events/segment', [bytesOf('late')])).toBe('there');
  },
  async 'swaps only what still has the expected tag'({ store }) {
    expect(await store.swap({ key: 'p', bytes: bytesOf('x'), expectedTag: 'none' })).toBe('lost');
    const made = await store.swap({ key: 'p', bytes: bytesOf('1'), expectedTag: null });
    expect(made).toEqual({ tag: expect.any(String) });
    expect(await store.swap({ key: 'p', bytes: bytesOf('2'), expectedTag: null })).toBe('lost');
    const { tag } = made as { tag: string };
    expect(await store.getTagged('p', tag)).toBe('same');
    const second = await store.swap({ key: 'p', bytes: bytesOf('2'), expectedTag: tag });
    expect(await store.swap({ key: 'p', bytes: bytesOf('3'), expectedTag: tag })).toBe('lost');
    expect(await store.getTagged('p', tag)).toEqual({
      bytes: bytesOf('2'),
      tag: (second as { tag: string }).tag,
    });
  },
  async 'loses none of 200 swaps of 8 racing writers'({ store, another }) {
    await store.put('counter', [bytesOf('0 start')]);
    const add = async (writer: ObjectStore, name: string): Promise<void> => {
      for (;;) {
        const seen = await writer.getTagged('counter');
        if (seen === null || seen === 'same') throw new Error('the counter is gone');
        const bytes = bytesOf(`${Number.parseInt(seen.bytes.toString(), 10) + 1} ${name}`);
        if ((await writer.swap({ key: 'counter', bytes, expectedTag: seen.tag })) !== 'lost') return;
      }
    };
    const writers = Array.from({ length: 8 }, (_, n) => (n === 0 ? store : another()));
    await Promise.all(
      writers.map(async (writer, w) => {
        for (let n = 0; n < 25; n++) await add(writer, `${w} ${n}`);
      }),
    );
    expect(Number.parseInt((await store.get('counter'))?.toString() ?? '', 10)).toBe(200);
  },
  async 'commits objects before what names them, and drops a commit whose swap is lost'({ store }) {
    const objects = Array.from({ length: 20 }, (_, n) => ({
      path: `data/${n}`,
      chunks: [bytesOf(`${n}`)],
    }));
    const first = await store.commit(objects, { key: 'p', bytes: bytesOf('1'), expectedTag: null });
    expect(first).not.toBe('lost');
    for (const { path, chunks } of objects) expect(await store.get(path)).toEqual(chunks[0]);
    expect(await store.commit([], { key: 'p', bytes: bytesOf('2'), expectedTag: 'other' })).toBe('lost');
    expect((await store.get('p'))?.toString()).toBe('1');
    await store.commit([], { key: 'p', bytes: bytesOf('3') });
    expect((await store.get('p'))?.toString()).toBe('3');
  },
};

export function describeStore(name: string, use: (work: Check) => Promise<void>): void {
  describe(name, () => {
    for (const [what, check] of Object.entries(CHECKS)) test(what, () => use(check));
  });
}
