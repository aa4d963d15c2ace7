import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { READERS_PYTHON } from '../support/python-readers.ts';
import { areTablesInstalled, PYTHON_SOURCE } from './packages-python.ts';

const SHOW = new URL('./show_tables.py', import.meta.url).pathname;
const LARGE = '9007199254740993';

test.skipIf(!areTablesInstalled())(
  'tables keep what is unknown, and whole numbers beyond 2^53 (skipped without pandas, polars and pyarrow)',
  () => {
    const env = { ...process.env, PYTHONPATH: PYTHON_SOURCE };
    const printed = execFileSync(READERS_PYTHON, [SHOW], { env, encoding: 'utf8' });
    // As text, because it has whole numbers that are none here.
    expect(JSON.parse(printed.replaceAll(LARGE, `"${LARGE}"`))).toEqual({
      pandas: [[true, false], LARGE, [false, true], [false, true], '2026-03-01T13:00:00+00:00'],
      polars: [[true, false], LARGE, [false, true], [false, true], '2026-03-01T13:00:00+00:00'],
      arrow: [
        [null, LARGE],
        [0.5, null],
        ['a', null],
      ],
      empty: [0, 0, 0],
    });
  },
);
