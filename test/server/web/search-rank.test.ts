// The order of search results.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Entry,
  KINDS,
  type Kind,
  rankOf,
  searchResults,
} from '../../../server/web/browser/search-rank.ts';

const entry = (kind: Kind, name: string, context: string = kind): Entry => ({
  kind,
  name,
  context,
  href: `/${kind}/${name}`,
});

const LIST: readonly Entry[] = [
  entry('feed', 'AAVE-USD', 'feed on ethereum'),
  ...Array.from({ length: 11 }, (_, n) => entry('market', `WETH ${n}`, 'market of aave on ethereum')),
  entry('protocol', 'aave'),
  entry('pegged asset', 'USDC', 'pegged asset on ethereum'),
  entry('feed', 'ETHFI-USD', 'feed on ethereum'),
  entry('feed', 'WEETH-ETH', 'feed on ethereum'),
  entry('feed', 'ETH-USD', 'feed on ethereum'),
  entry('feed', 'STETH-USD', 'feed on ethereum'),
  entry('network', 'ethereum'),
  entry('vault', 'Anchor USDC', 'vault of Anchor Labs on ethereum'),
  entry('curator', 'Anchor Labs', 'curator of vaults'),
  entry('event type', 'oracle.stale', 'event type: a feed is late'),
];

const names = (typed: string) =>
  searchResults(LIST, typed).map(({ kind, entries }) => [kind, entries.map(({ name }) => name)]);

test('an exact name is first, whatever else contains it', () => {
  expect(names('aave').slice(0, 2)).toEqual([
    ['protocol', ['aave']],
    ['feed', ['AAVE-USD']],
  ]);
  expect(names('ETHEREUM')[0]).toEqual(['network', ['ethereum']]);
});

test('a name that begins with the text precedes a word of a name, and that any part of one; context is last', () => {
  expect(names('eth')[0]).toEqual(['feed', ['ETH-USD', 'ETHFI-USD', 'WEETH-ETH', 'STETH-USD', 'AAVE-USD']]);
  expect(names('eth').map(([kind]) => kind)).toEqual(['feed', 'network', 'market', 'pegged asset', 'vault']);
});

test('vaults and curators are found, each under its own heading', () => {
  expect(names('anchor')).toEqual([
    ['vault', ['Anchor USDC']],
    ['curator', ['Anchor Labs']],
  ]);
});

test('several words match in any order, in names and contexts', () => {
  expect(names('usdc anchor')).toEqual([['vault', ['Anchor USDC']]]);
  expect(names('market of aave')[0]?.[0]).toBe('market');
  expect(names('oracle.stale')).toEqual([['event type', ['oracle.stale']]]);
});

test('nothing typed finds nothing, and a long group says how many more there are', () => {
  expect(searchResults(LIST, ' ')).toEqual([]);
  const [group] = searchResults(LIST, 'weth').filter(({ kind }) => kind === 'market');
  expect([group?.entries.length, group?.more]).toEqual([5, 6]);
});

/** An independent description of the order. */
function classOf({ name }: Entry, typed: string): number {
  const [own, text] = [name.toLowerCase(), typed.toLowerCase()];
  if (own === text) return 0;
  if (own.startsWith(text)) return 1;
  if (own.split(/[^a-z0-9]+/).some((word) => word.startsWith(text))) return 2;
  return own.includes(text) ? 3 : 4;
}

const anyName = fc
  .array(fc.constantFrom('eth', 'usd', 'aave', 'st', 'w', 'x'), { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.constantFrom('-', ' ', '').map((joint) => parts.join(joint)));
const anyEntry = fc.record({
  kind: fc.constantFrom(...KINDS),
  name: anyName,
  context: fc.constant('on ethereum'),
  href: fc.uuid(),
});

test('for any list: only matches, in classes from exact to context, and no kind has two headings', () => {
  fc.assert(
    fc.property(fc.array(anyEntry), fc.constantFrom('eth', 'usd', 'aave', 'w'), (all, typed) => {
      const groups = searchResults(all, typed);
      const kinds = groups.map(({ kind }) => kind);
      expect(new Set(kinds).size).toBe(kinds.length);
      for (const { kind, entries } of groups) {
        const classes = entries.map((one) => classOf(one, typed));
        expect(classes).toEqual(classes.toSorted((a, b) => a - b));
        const best = Math.min(...all.filter((one) => one.kind === kind).map((one) => classOf(one, typed)));
        expect(classes[0]).toBe(best);
      }
      const firsts = groups.map(({ entries: [first] }) => (first === undefined ? 9 : classOf(first, typed)));
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }),
  );
});

test('an entry is found by its other names', () => {
  const dataset = { ...entry('dataset', 'Lending markets'), aliases: ['lending-markets'] };
  expect(rankOf(dataset, 'lending-markets')).toBe(0);
  expect(rankOf(dataset, 'pegs')).toBeUndefined();
});
