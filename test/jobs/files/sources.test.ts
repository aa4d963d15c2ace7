import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSources } from '../../../jobs/files/sources.ts';
import { feedRegistry, feedRound } from '../../../jobs/oracles/raw.ts';
import { SettingsError } from '../../../schemas/settings-error.ts';
import { nodeDisk } from '../../../snapshots/disk.ts';
import { CONTEXT, landedRows, openScratch, roundsCsv, type Scratch } from '../pipeline/landing/scratch.ts';

const facts = { rawTables: [feedRegistry, feedRound], baseDir: '/config', disk: nodeDisk };
const FIELDS = {
  chain: { value: 'ethereum' },
  feed_address: { value: '0xab' },
  round_id: 'round',
  answer: 'answer',
  decimals: { value: 8 },
  updated_at: { from: 'at', time: 'unix_s' },
};
const rounds = (more: object = {}) => ({
  table: 'feed_round',
  path: 'rounds-*.csv',
  format: 'csv',
  name: 'Rounds',
  fields: FIELDS,
  ...more,
});

const problems = (section: unknown): string[] => {
  try {
    fileSources(section, facts);
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
      await scratch.landing.land(
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
        scratch.landing.land(feedRound, source?.facts ?? Object.assign({}), delivery, CONTEXT),
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
    [{}, 'exactly one of from and value'],
    ['', 'a column'],
    [7, 'an object'],
  ])('the mapping %j', (mapping, words) => {
    expect(field(mapping).join('\n')).toContain(words);
  });

  test('a time on a text field', () => {
    expect(
      problems({ s: rounds({ fields: { ...FIELDS, answer: { from: 'a', time: 'unix_s' } } }) })[0],
    ).toContain('answer is VARCHAR');
  });
});
