// The types by which conditions can be selected are all that the queries and the publication of conditions give them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONDITIONS_WITHOUT_EVENT } from '../../../schemas/conditions.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const FOLDER = 'jobs/families/conditions/';
const queries = readdirSync(new URL(`../../../${FOLDER}`, import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => read(FOLDER + name))
  .join('\n');
const publication = read('jobs/pipeline/publish/conditions.ts');

const without = new Set<string>(CONDITIONS_WITHOUT_EVENT);
const LIMIT = 'lending.';

test('a type that a query names is one of an event or one without', () => {
  const named = [...queries.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, type = '']) => type);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((type) => !without.has(type) && !EVENT_TYPES.includes(type as never))).toEqual([]);
});

test('the kinds of limits of a market are the types that begin with `lending.`', () => {
  const kinds = [...read(`${FOLDER}derived.market_limit_condition.sql`).matchAll(/market_id, '([a-z_]+)'/g)];
  const limits = CONDITIONS_WITHOUT_EVENT.filter((type) => type.startsWith(LIMIT));
  expect(kinds.map(([, kind]) => `${LIMIT}${kind}`).sort()).toEqual(limits);
});

test('every other type without an event is given to some condition', () => {
  for (const type of CONDITIONS_WITHOUT_EVENT.filter((one) => !one.startsWith(LIMIT)))
    expect(queries.includes(`'${type}'`) || publication.includes(`'${type}'`), type).toBe(true);
});
