import { describe, expect, test } from 'vitest';
import { parseHeader } from '../../../../jobs/pipeline/models/load-models.ts';
import { renderParameters, withoutComments } from '../../../../jobs/engine/parameters.ts';

const values = { start: -86400, end: 10, now: 9 };

describe('renderParameters', () => {
  test.each([
    ['select @start, @end,@now', 'select cast(-86400 as bigint), cast(10 as bigint),cast(9 as bigint)'],
    ["select '@start', 'it''s @end', \"@now\"", "select '@start', 'it''s @end', \"@now\""],
    [
      '-- until @nothing\nselect @end /* @else */',
      '-- until @nothing\nselect cast(10 as bigint) /* @else */',
    ],
  ])('%s', (sql, rendered) => {
    expect(renderParameters(sql, values)).toBe(rendered);
  });

  test('refuses an unknown parameter', () => {
    expect(() => renderParameters('select @day', values)).toThrow('@day is not a parameter');
  });

  test.each([1.5, Number.NaN, 2 ** 60])('refuses %d seconds', (start) => {
    expect(() => renderParameters('select @start', { ...values, start })).toThrow(
      'not a whole number of seconds',
    );
  });
});

test('comments and the width of gaps do not change a model', () => {
  const text = "-- A row.\n-- kind: full\n\nselect '--x  y' as a -- why\n/* two\nlines */\n  from obs.b\n";
  expect(withoutComments(text)).toBe("select '--x  y' as a from obs.b");
});

describe('parseHeader', () => {
  test('reads facts from one line or several, in any order', () => {
    const wanted = {
      about: 'A row. It is so.',
      kind: 'window',
      grain: ['a', 'b'],
      time: 'day',
      byHour: '',
      verdict: '',
      reaches: [],
      order: 'day, a desc nulls last, b',
    };
    const about = '-- A row.\n-- It is so.\n';
    expect(
      parseHeader(
        `${about}-- kind: window   grain: a, b   time: day   order: day, a desc nulls last, b\nselect 1`,
      ),
    ).toEqual(wanted);
    expect(
      parseHeader(
        `${about}-- time: day\n-- order: day, a desc nulls last, b\n-- grain: a, b   kind: window\nselect 1`,
      ),
    ).toEqual(wanted);
  });

  test('a later comment is not part of the header', () => {
    expect(parseHeader('-- A row.\nselect 1\n-- kind: full')).toMatchObject({ about: 'A row.', kind: '' });
  });
});
