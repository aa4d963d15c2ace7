import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { NetFault } from '../../../../../jobs/sources/live/http/net-fault.ts';
import type { PagerRules } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { openPager, type ReceivedPage } from '../../../../../jobs/sources/live/http/pager.ts';

const page = (records: readonly unknown[], more: Partial<ReceivedPage> = {}): ReceivedPage => ({
  records,
  document: {},
  headers: {},
  url: 'https://api.example/x',
  sha256: createHash('sha256')
    .update(JSON.stringify([records, more]))
    .digest('hex'),
  ...more,
});
const rows = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) }, (_, index) => ({ id: from + (to > from ? index : -index) }));

/** Serves rows to a pager until it ends; returns how many rows it saw and why it ended. */
function walk(
  rules: PagerRules,
  serve: (values: { readonly [name: string]: string }) => ReceivedPage,
  key = '0',
) {
  const pager = openPager(rules, { key, since: 0, until: 100 });
  let seen = 0;
  let pages = 0;
  for (let next: ReturnType<typeof pager.after> = pager.first; next !== null; pages++) {
    const given = serve(next.values);
    seen += given.records.length;
    next = pager.after(given);
  }
  return { seen, pages, ended: pager.ended };
}

const faultOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof NetFault) return `${error.kind}: ${error.message}`;
    throw error;
  }
  throw new Error('it succeeded');
};

test.each([
  [0, 1],
  [1, 1],
  [99, 1],
  [100, 2],
  [101, 2],
  [1_000, 11],
])('a list of %i rows in pages of 100 is read whole', (total, pages) => {
  const all = rows(0, total);
  const by = (at: number) => page(all.slice(at, at + 100), { url: `https://api.example/${at}` });
  const byPage = walk({ kind: 'page', first: 1, size: 100, max_pages: 50 }, ({ page: n }) =>
    by((Number(n) - 1) * 100),
  );
  const byOffset = walk({ kind: 'offset', size: 100, max_pages: 50 }, ({ offset }) => by(Number(offset)));
  expect(byPage).toMatchObject({ seen: total, pages });
  expect(byOffset).toMatchObject({ seen: total, pages });
});

test('2,000 of 13,873 rows are not the end: the total is not reached', () => {
  const all = rows(0, 2_000);
  const serve = ({ offset }: { readonly [name: string]: string }) =>
    page(all.slice(Number(offset), Number(offset) + 1_000), { document: { total: 13_873 } });
  const rules = { kind: 'offset', size: 1_000, total: 'total', max_pages: 100 } as const;
  expect(faultOf(() => walk(rules, serve))).toContain('the pages end after 2000 of 13873 records');
});

test('a repeated page is an error, not the end', () => {
  const same = page(rows(0, 100));
  expect(faultOf(() => walk({ kind: 'page', first: 1, size: 100, max_pages: 50 }, () => same))).toContain(
    'repeats an earlier page',
  );
});

test('more pages than the cap are an error', () => {
  const rules = { kind: 'page', first: 0, size: 1, max_pages: 3 } as const;
  expect(faultOf(() => walk(rules, ({ page: n }) => page([{ id: n }])))).toContain('more than 3 pages');
  expect(walk({ ...rules, max_pages: 4 }, ({ page: n }) => page(n === '3' ? [] : [{ id: n }])).seen).toBe(3);
});

test('a cursor that does not move is an error', () => {
  const rules = { kind: 'cursor', next: 'next', max_pages: 9 } as const;
  expect(
    walk(rules, ({ cursor }) => page([{ cursor }], { document: { next: cursor === '' ? 'a' : null } })).seen,
  ).toBe(2);
  expect(
    faultOf(() => walk(rules, ({ cursor }) => page([{ n: cursor }], { document: { next: 'a' } }))),
  ).toContain('was already used');
});

test('an ascending key moves past rows that share it, and fails when a whole page does', () => {
  const rules = { kind: 'keyset', field: 'at', order: 'asc', size: 3, max_pages: 50 } as const;
  const all = [1, 1, 2, 3, 3, 4, 5].map((at, id) => ({ id, at }));
  const serve = (list: readonly { at: number }[]) => (values: { readonly [name: string]: string }) =>
    page(list.filter(({ at }) => at >= Number(values['key'])).slice(0, 3));
  const seen = walk(rules, serve(all));
  expect(seen.ended).toBe('a short page');
  const stuck = [1, 2, 2, 2, 2, 3].map((at, id) => ({ id, at }));
  expect(faultOf(() => walk(rules, serve(stuck)))).toMatch(
    /whole page has the same at|repeats an earlier page/,
  );
});

test('a descending key that the server includes ends at the last row, or at the window', () => {
  const all = rows(14, 0);
  const serve = ({ key }: { readonly [name: string]: string }) =>
    page(all.filter(({ id }) => key === '' || id <= Number(key)).slice(0, 5));
  const rules = { kind: 'keyset', field: 'id', order: 'desc', max_pages: 50 } as const;
  expect(walk(rules, serve).ended).toBe('a page without new records');
  const timed = openPager({ ...rules, time: 'at' }, { key: '', since: 50, until: 100 });
  expect(
    timed.after(
      page([
        { id: 9, at: 90 },
        { id: 8, at: 60 },
      ]),
    ),
  ).toEqual({ values: { key: '8' } });
  expect(
    timed.after(
      page([
        { id: 8, at: 60 },
        { id: 7, at: 40 },
      ]),
    ),
  ).toBeNull();
});

/** Slot 10 of this clock begins at 220. */
const SLOTS = { kind: 'keyset', field: 'slot', max_pages: 9, clock: { starts_at: 100, step_s: 12 } } as const;

/** Keys that are requested until the pager ends. The server returns three slots downward from the key, inclusive. */
function slotsAsked(has: readonly unknown[], since: number, until: number): readonly (string | undefined)[] {
  const pager = openPager({ ...SLOTS, order: 'desc' }, { key: '', since, until });
  const asked: (string | undefined)[] = [];
  for (let next: ReturnType<typeof pager.after> = pager.first; next !== null; ) {
    const { key } = next.values;
    asked.push(key);
    const given = has.filter((slot) => Number.isNaN(Number(slot)) || Number(slot) <= Number(key)).slice(0, 3);
    next = pager.after(page(given.map((slot) => ({ slot })).reverse()));
  }
  return asked;
}
const ALL_SLOTS = ['12', '11', '10', '9', '8', '7', '6', '5', '4', '3'];

test.each([
  [219, 185, ['9']],
  [219, 184, ['9', '7']],
  [220, 185, ['10', '8']],
  [231, 185, ['10', '8']],
  [232, 185, ['11', '9']],
  [232, 184, ['11', '9', '7']],
])('a field that counts time is read from %i down to below %i, in any order', (until, since, asked) => {
  expect(slotsAsked(ALL_SLOTS, since, until)).toEqual(asked);
});

test.each([
  [[], /the pages end at slot 9, before the window does/],
  [['9', '8', '7'], /the pages end at slot 7, before the window does/],
  [['9', '9', '9', '9'], /the pages end at slot 9|repeats an earlier page/],
  [['nine'], /not a whole number/],
])('pages of slots %j that do not reach the start of the window are an error, not the end', (has, words) => {
  expect(faultOf(() => slotsAsked(has, 150, 219))).toMatch(words);
});

test('an ascending key that counts time starts at the window', () => {
  const pager = openPager({ ...SLOTS, order: 'asc' }, { key: '220', since: 220, until: 300 });
  expect(pager.first).toEqual({ values: { key: '10' } });
});

test('links are followed on their own host', () => {
  const rules = { kind: 'link', max_pages: 5 } as const;
  const pager = openPager(rules, { key: '', since: 0, until: 100 });
  const link =
    '<https://api.example/repositories/1/x?page=2>; rel="next", <https://api.example/x?page=9>; rel="last"';
  expect(pager.after(page([{}], { headers: { link } }))?.url).toBe(
    'https://api.example/repositories/1/x?page=2',
  );
  expect(
    pager.after(page([{ b: 1 }], { headers: { link: '<https://api.example/x>; rel="prev"' } })),
  ).toBeNull();
  const other = openPager(rules, { key: '', since: 0, until: 100 });
  expect(
    faultOf(() => other.after(page([{}], { headers: { link: '<https://evil.example/>; rel="next"' } }))),
  ).toContain('another host');
});

const linked = (link: string, url = 'https://api.example/a/x?page=1') => {
  const pager = openPager({ kind: 'link', max_pages: 5 }, { key: '', since: 0, until: 100 });
  return pager.after(page([{}], { headers: { link }, url }))?.url ?? pager.ended;
};

test.each([
  ['<https://api.example/y>; rel="next"', 'https://api.example/y'],
  ['<https://api.example/y>; rel=next', 'https://api.example/y'],
  ['<https://api.example/y>; title="a, b"; rel="Last Next"', 'https://api.example/y'],
  ['</y>;rel="prev",</z>;rel="next"', 'https://api.example/z'],
  ['<?page=2>; rel="next"', 'https://api.example/a/x?page=2'],
  ['<https://api.example/y>; rel="nextish"', 'no further link'],
  ['<https://api.example/y; rel="next"', 'no further link'],
  ['', 'no further link'],
])('the link %s leads to %s', (link, url) => {
  expect(linked(link)).toBe(url);
});

test.each([
  ['<http://api.example/y>; rel="next"', 'from https to the insecure http://api.example'],
  ['<https://api.example:8443/y>; rel="next"', 'another host, api.example:8443'],
  ['<http://[bad>; rel="next"', 'not an http or https address'],
  ['<ftp://api.example/y>; rel="next"', 'not an http or https address'],
])('the link %s is an error', (link, words) => {
  expect(faultOf(() => linked(link))).toContain(words);
});

test('a link header of a million characters is read at once', () => {
  const start = performance.now();
  expect(linked('<'.repeat(1_000_000))).toBe('no further link');
  expect(linked(`${'<a>'.repeat(300_000)}; rel="prev"`)).toBe('no further link');
  expect(performance.now() - start).toBeLessThan(3_000);
});
