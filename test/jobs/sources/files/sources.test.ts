import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSources } from '../../../../jobs/sources/files/sources.ts';
import { governanceVote } from '../../../../jobs/families/governance/raw.ts';
import { feedRegistry, feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { SettingsError } from '../../../../platform/settings/settings-error.ts';
import { CONTEXT, landedRows, openScratch, roundsCsv, type Scratch } from '../../ingest/scratch.ts';

const facts = { rawTables: [feedRegistry, feedRound], baseDir: '/config' };
const FIELDS = {
  chain: { value: 'ethereum' },
  feed_address: { value: '0xab' },
  round_id: 'round',
  answer: 'answer',
  decimals: { value: 8 },
  updated_at: { from: 'at', time: 'unix_s' },
};
const JOIN = { path: 'blocks.csv', format: 'csv', as: 'blocks', on: { block: 'number' } };
const rounds = (more: object = {}) => ({
  table: 'feed_round',
  path: 'rounds-*.csv',
  format: 'csv',
  name: 'Rounds',
  fields: FIELDS,
  ...more,
});

const problems = (section: unknown, rawTables = facts.rawTables): string[] => {
  try {
    fileSources(section, { ...facts, rawTables });
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(
      ({ where, given, expected, closest }) =>
        `${where}: ${given}; expected ${expected}${closest === null ? '' : `; ${closest}?`}`,
    );
  }
};

describe('a section that is right', () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await openScratch();
  });
  afterEach(() => scratch.close());

  test('gives sources that offer their files in order, relative to the configuration, and land', async () => {
    const last = await scratch.file('rounds-2.csv', roundsCsv([[2, 20, 1_600_000_060]]));
    const first = await scratch.file('rounds-1.csv', roundsCsv([[1, 10, 1_600_000_000]]));
    const baseDir = first.slice(0, first.lastIndexOf('/'));
    const [source, ...more] = fileSources(
      { mine: rounds({ url: 'https://example.org', license: 'MIT' }) },
      { ...facts, baseDir },
    );
    expect(more).toEqual([]);
    expect(source?.facts).toEqual({
      id: 'mine',
      kind: 'file',
      name: 'Rounds',
      url: 'https://example.org',
      license: 'MIT',
      chain: null,
    });
    const paths: string[] = [];
    for await (const delivery of source?.deliveries(CONTEXT.interval) ?? []) {
      if (delivery.kind !== 'file') throw new Error('expected a file');
      paths.push(delivery.path);
      await scratch.ingest.land(
        feedRound,
        { ...source?.facts, id: 'mine', kind: 'file', name: 'Rounds', url: null, license: null, chain: null },
        delivery,
        CONTEXT,
      );
    }
    expect(paths).toEqual([first, last]);
    expect((await landedRows(scratch)).map((row) => [row['round_id'], row['source_id']])).toEqual([
      ['1', 'mine'],
      ['2', 'mine'],
    ]);
  });

  test('a glob that matches nothing is offered as written, and landing says so', async () => {
    const [source] = fileSources({ mine: rounds() }, facts);
    for await (const delivery of source?.deliveries(CONTEXT.interval) ?? []) {
      await expect(
        scratch.ingest.land(feedRound, source?.facts ?? Object.assign({}), delivery, CONTEXT),
      ).rejects.toThrow('/config/rounds-*.csv: no file matches');
      return;
    }
    expect.unreachable('nothing was offered');
  });
});

describe('a section that is wrong names every problem at once', () => {
  test('all of them in their order', () => {
    const { answer: _, ...fields } = FIELDS;
    expect(
      problems({
        'Bad Id': rounds(),
        two: rounds({ table: 'feed_rounds', format: 'xlsx', delimiter: ';;', colour: 'red' }),
        three: rounds({
          fields: {
            ...fields,
            anwser: 'answer',
            price: 'price',
            decimals: { value: 8, from: 'd' },
            round_id: { form: 'round' },
          },
        }),
        four: 'rounds.csv',
      }),
    ).toMatchSnapshot();
  });

  test.each([
    ['nothing', undefined],
    ['no source', {}],
    ['a list', []],
  ])('%s', (_, section) => {
    expect(problems(section)).toHaveLength(1);
  });

  const field = (mapping: unknown) => problems({ s: rounds({ fields: { ...FIELDS, decimals: mapping } }) });
  test.each([
    [{ from: 'd', scale: 0 }, 'decimals.scale'],
    [{ from: 'd', number: 'roman' }, 'decimals.number'],
    [{ from: 'd', time: 'sometimes' }, 'decimals.time'],
    [{ from: [] }, 'decimals.from'],
    [{ value: null }, 'decimals.value'],
    [{ from: 'd', replace: { a: [] } }, 'decimals.replace'],
    [{}, 'exactly one of from, document and value'],
    ['', 'a column'],
    [7, 'an object'],
  ])('the mapping %j', (mapping, words) => {
    expect(field(mapping).join('\n')).toContain(words);
  });

  test.each<[string, object, string]>([
    ['a filter by nothing', { where: {} }, 's.where: {} given; expected an object that maps columns'],
    ['a filter by an object', { where: { a: { is: 1 } } }, 's.where: {"a":{"is":1}} given'],
    ['a filter by an empty list', { where: { a: [] } }, 's.where: {"a":[]} given'],
    ['a filter under another name', { wher: { a: 1 } }, 's.wher: an unknown key; expected one of'],
    [
      'a join without a key',
      { join: { ...JOIN, on: {} } },
      's.join.on: {} given; expected an object that maps columns',
    ],
    [
      'a join by a slip of a word',
      { join: { ...JOIN, mising: 'keep' } },
      's.join.mising: an unknown key; expected one of path, format, delimiter, records, as, on, missing; missing?',
    ],
    [
      'a join that does something else',
      { join: { ...JOIN, missing: 'drop' } },
      's.join.missing: "drop" given; expected one of quarantine, filter, keep',
    ],
    ['a join of no file', { join: { as: 'b', format: 'csv', on: { a: 'b' } } }, 's.join.path: nothing given'],
    [
      'a join from which nothing is taken',
      { join: { ...JOIN, as: 'block' } },
      's.join.as: "block" given; expected a field or a filter that uses a column "block.…"',
    ],
    ['a join that is a path', { join: 'b.csv' }, 's.join: "b.csv" given; expected an object with path'],
  ])('%s', (_, more, words) => {
    const fields = { ...FIELDS, answer: 'blocks.answer' };
    expect(problems({ s: rounds({ fields, ...more }) }).join('\n')).toContain(words);
  });

  test('a join and a filter that are right are none', () => {
    const fields = { ...FIELDS, answer: 'blocks.answer' };
    const where = { a: 'x', b: ['x', 1, true], c: { not: '' }, 'blocks.d': { not: ['y', 2] } };
    expect(problems({ s: rounds({ fields, where, join: { ...JOIN, missing: 'keep' } }) })).toEqual([]);
    expect(problems({ s: rounds({ where: { 'blocks.d': 1 }, join: JOIN }) })).toEqual([]);
  });

  test('votes of which no time is mapped, and one is enough', () => {
    const fields = {
      ...{ protocol: { value: 'a' }, proposal_id: 'p', voter: 'v', vote_id: 'i', support: 's' },
      power: 'w',
      decimals: { value: 0 },
    };
    const of = (more: object) => {
      const section = { s: { ...rounds({ table: 'governance_vote' }), fields: { ...fields, ...more } } };
      return problems(section, [governanceVote]);
    };
    expect(of({})).toEqual([
      'sources.s.fields: nothing given for earliest_at; expected at least one of voted_at, vote_start_at, vote_end_at: governance_vote requires earliest_at, which is computed from them',
    ]);
    for (const name of ['voted_at', 'vote_start_at', 'vote_end_at'])
      expect(of({ [name]: { from: 't', time: 'iso8601' } })).toEqual([]);
  });

  test('a constant time without a form', () => {
    expect(problems({ s: rounds({ fields: { ...FIELDS, updated_at: { value: '2026-01-01' } } }) })).toEqual([
      'sources.s.fields.updated_at: {"value":"2026-01-01"} given; expected Unix seconds, or a `time` next to it that gives the format',
    ]);
  });

  test('a constant instant is one', () => {
    const instants = [
      { value: 1_600_000_000 },
      { value: '1600000000' },
      { value: '2026-01-01', time: 'iso8601' },
    ];
    for (const updated_at of instants)
      expect(problems({ s: rounds({ fields: { ...FIELDS, updated_at } }) })).toEqual([]);
  });

  test('a prefix of a number', () => {
    expect(field({ from: 'd', prefix: 'x' }).join()).toContain(
      's.fields.decimals.prefix: "x" given; expected nothing: decimals is BIGINT',
    );
    expect(field({ from: 'd', prefix: '' }).join()).toContain('text of 1 to 64 characters');
  });

  test('a time on a field that is neither text nor an integer', () => {
    const deviation_bps = { from: 'a', time: 'unix_s' };
    const registry = { ...rounds({}), table: 'feed_registry', fields: { deviation_bps } };
    expect(problems({ s: registry }).join('\n')).toContain('deviation_bps is DOUBLE');
  });
});

test('an id may come from a time', () => {
  expect(
    problems({ s: rounds({ fields: { ...FIELDS, round_id: { from: 'at', time: 'iso8601' } } }) }),
  ).toEqual([]);
});
