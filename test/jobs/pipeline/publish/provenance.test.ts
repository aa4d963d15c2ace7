import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../../../jobs/pipeline/publish/input-facts.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const source = (id: string) =>
  ({ id, kind: 'file', name: id, url: null, chain: null, license: null }) as const;
const receipt = (id: string, last_time: number | null, content_hash: string, fetched_at = 1_000) => ({
  source: source(id),
  last_time,
  fetched_at,
  content_hash,
});

describe('the sources of a dataset', () => {
  it('are those of its one file', () => {
    expect(sourcesOf([[receipt('votes', 86_400, 'aa')]])).toEqual([
      {
        ...source('votes'),
        block_number: null,
        observed_at: '1970-01-02T00:00:00Z',
        fetched_at: '1970-01-01T00:16:40Z',
        content_hash: 'aa',
        files: 1,
      },
    ]);
  });

  it('are as of the newest row of all files of a glob, whichever was read last, and cover them all', () => {
    const files = [
      receipt('votes', 86_400, 'aa'),
      receipt('votes', 43_200, 'bb'),
      receipt('votes', null, 'cc'),
    ];
    const [entry] = sourcesOf([files]);
    expect(entry).toMatchObject({ observed_at: '1970-01-02T00:00:00Z', files: 3 });
    const random = seededRandom(7);
    for (let round = 0; round < 20; round += 1)
      expect(sourcesOf([files.toSorted(() => random() - 0.5)])).toEqual([entry]);
    const others = files.map((_, left) => files.filter((_file, index) => index !== left));
    const hashes = others.map((some) => sourcesOf([some])[0]?.content_hash);
    expect(new Set([...hashes, entry?.content_hash]).size).toBe(4);
  });

  it('do not change when files are compacted', () => {
    const files = [receipt('votes', 5, 'aa', 10), receipt('votes', 9, 'bb', 20)];
    const compacted = { ...receipt('votes', 9, 'bb', 20), contents: ['aa', 'bb'] };
    expect(sourcesOf([[compacted]])).toEqual(sourcesOf([files]));
  });

  it('are the same however the list of files grew, shrank or was compacted', () => {
    const random = seededRandom(11);
    const below = (count: number) => Math.floor(random() * count);
    let files = [receipt('votes', 5, 'h50', 10)];
    for (let step = 0; step < 300; step += 1) {
      const added = receipt('votes', below(100), `h${below(60)}`, 10 + below(5));
      const [kind, at] = [below(10), below(files.length)];
      if (kind < 6) files = [...files, added];
      else if (kind < 7) files = files.toSpliced(at, 0, added);
      else if (kind < 8 && files.length > 1) files = files.toSpliced(at, 1);
      else if (kind < 9) files = files.toSpliced(at, 1, added);
      else {
        const contents = files.slice(at).map(({ content_hash }) => content_hash);
        files = [...files.slice(0, at), { ...added, contents } as (typeof files)[number]];
      }
      const afresh = files.map((file) => ({ ...file }));
      expect(sourcesOf([files])).toEqual(sourcesOf([afresh]));
    }
  });

  it('cover the rows of a source in all tables', () => {
    const [one, two] = [receipt('votes', 5, 'aa', 10), receipt('votes', 9, 'bb', 20)];
    expect(sourcesOf([[one], [two]])).toEqual(sourcesOf([[one, two]]));
  });

  it('come in the order of their ids', () => {
    const ids = sourcesOf([[receipt('b', 1, 'x')], [receipt('a', 2, 'y')]]).map(({ id }) => id);
    expect(ids).toEqual(['a', 'b']);
  });
});
