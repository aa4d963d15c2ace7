import { describe, expect, it } from 'vitest';
import { missingInputs, staleInputs } from '../../../../jobs/pipeline/gate/input-checks.ts';

describe('the check for missing inputs', () => {
  const all = { failures: [], silent: [] };

  it('passes when every source delivered something, and when no source is needed', () => {
    const passed = { name: 'every input is there', verdict: 'pass', detail: null };
    expect(missingInputs(all)).toEqual(passed);
    expect(missingInputs({ ...all, is_unsourced: false })).toEqual(passed);
    expect(missingInputs({ ...all, unsourced: { tables: [], of: 4 } })).toEqual(passed);
  });

  it('does not judge a dataset without any source: what is not configured is no warning', () => {
    expect(missingInputs({ ...all, is_unsourced: true })).toEqual({
      name: 'every input is there',
      verdict: 'not_evaluated',
      detail: 'no source is configured',
    });
  });

  it.each([
    [{ silent: ['feeds'] }, 'feeds gave nothing'],
    [{ failures: ['feeds failed: gone'], silent: ['pools'] }, 'feeds failed: gone; pools gave nothing'],
    [
      { unsourced: { tables: ['market_oracle', 'market_state'], of: 4 }, silent: ['feeds'] },
      'no source is configured for market_oracle, market_state; feeds gave nothing',
    ],
    [{ silent: [...'abcdefghijkl'] }, /^a gave nothing; .*; j gave nothing and 2 more$/],
  ])('warns of %j', (change, detail) => {
    expect(missingInputs({ ...all, ...change })).toMatchObject({
      verdict: 'warn',
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    });
  });
});

describe('the check for stale inputs', () => {
  const maxAges = { market_state: 100 };
  const at = (table: string, last_time: number | null) => ({ table, last_time });

  it('passes up to the age that the policy allows, and warns a second later', () => {
    expect(staleInputs([at('market_state', 900)], { now: 1_000, maxAges }).verdict).toBe('pass');
    expect(staleInputs([at('market_state', 900)], { now: 1_001, maxAges })).toEqual({
      name: 'no input is stale',
      verdict: 'warn',
      detail: 'the newest row of market_state is 101 s old, 100 s are allowed',
    });
  });

  it('counts the newest row, in whatever order batches came', () => {
    const batches = [at('market_state', 950), at('market_state', 3), at('market_state', null)];
    expect(staleInputs(batches, { now: 1_000, maxAges }).verdict).toBe('pass');
  });

  it('ignores tables without a maximum age, and tables without rows', () => {
    const batches = [at('lending_market', 1), at('market_state', null)];
    expect(staleInputs(batches, { now: 1_000_000, maxAges }).verdict).toBe('pass');
  });
});
