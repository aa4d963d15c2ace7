import { expect, test } from 'vitest';
import { statesOf, worstFirst } from '../../../server/web/browser/peg-state.ts';

const fine = {
  deviation_bps: -50,
  enter_bps: 100,
  is_downside_only: false,
  sources: 2,
  is_disputed: false,
  state: 'pegged',
  source_status: 'live',
} as const;

test.each([
  [{}, ['pegged']],
  [{ sources: 1 }, ['pegged', 'single_source']],
  [{ deviation_bps: -51 }, ['near']],
  [{ deviation_bps: 51, sources: 1 }, ['near', 'single_source']],
  [{ deviation_bps: 150 }, ['near']],
  [{ deviation_bps: 150, is_downside_only: true }, ['pegged']],
  [{ deviation_bps: -60, is_downside_only: true }, ['near']],
  [{ deviation_bps: -60, state: 'depegged', is_disputed: true }, ['depegged', 'disputed']],
  [{ state: 'disputed' }, ['disputed']],
  [{ source_status: 'silent' }, ['silent']],
  [{ deviation_bps: null, enter_bps: null, sources: null, is_disputed: null, state: 'unknown' }, ['unknown']],
  [{ deviation_bps: null }, ['unknown']],
] as const)('%j is %j', (change, states) => {
  expect(statesOf({ ...fine, ...change })).toEqual(states);
});

test('the worst comes first, then the peg further into its band', () => {
  const all = [
    { ...fine, name: 'fine' },
    { ...fine, name: 'single', sources: 1, deviation_bps: 10 },
    { ...fine, name: 'wide band', deviation_bps: 160, enter_bps: 300 },
    { ...fine, name: 'narrow band', deviation_bps: -90 },
    { ...fine, name: 'off', state: 'depegged' as const },
    { ...fine, name: 'disputed', is_disputed: true },
  ];
  expect(worstFirst(all).map(({ name }) => name)).toEqual([
    'off',
    'disputed',
    'narrow band',
    'wide band',
    'fine',
    'single',
  ]);
});
