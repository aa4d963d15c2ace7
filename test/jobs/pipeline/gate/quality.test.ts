import { describe, expect, it } from 'vitest';
import { confidenceOf, gateOf } from '../../../../jobs/pipeline/gate/quality.ts';

const facts = { expected: 4, used: 4, rows_in: 1_000, rows_quarantined: 0, failures: [] };

describe('confidence', () => {
  it('is full when every input is there and no row was refused', () => {
    expect(confidenceOf(facts)).toEqual({
      score: 1,
      level: 'high',
      inputs_used: 4,
      inputs_expected: 4,
      reasons: [],
    });
  });

  it('is full when every one of its own tables has a source', () => {
    expect(confidenceOf({ ...facts, unsourced: { tables: [], of: 3 } })).toEqual(confidenceOf(facts));
  });

  it('is full when everything is configuration and no source is needed', () => {
    expect(confidenceOf({ ...facts, expected: 0, used: 0 })).toMatchObject({
      score: 1,
      reasons: [],
    });
  });

  it.each([
    [{ used: 3 }, 0.75, 'medium'],
    [{ used: 2 }, 0.5, 'medium'],
    [{ used: 1 }, 0.25, 'low'],
    [{ rows_quarantined: 200 }, 0.8, 'high'],
    [{ rows_quarantined: 201 }, 0.799, 'medium'],
    [{ expected: 0, used: 0, is_unsourced: true }, 0, 'low'],
    [{ is_unsourced: true }, 0, 'low'],
    [{ unsourced: { tables: ['market_state'], of: 4 } }, 0.75, 'medium'],
    [{ unsourced: { tables: ['market_state', 'market_oracle'], of: 3 } }, 0.3333, 'low'],
    [{ doubts: [{ reason: 'a tally is off', weight: 0.25 }] }, 0.75, 'medium'],
  ])('falls with %j to %d (%s) and says why', (changes, score, level) => {
    const confidence = confidenceOf({ ...facts, ...changes });
    expect(confidence).toMatchObject({ score, level });
    expect(confidence.reasons).toHaveLength(1);
  });
});

describe('the quality gate', () => {
  const check = (verdict: 'pass' | 'warn' | 'fail') => ({ name: verdict, verdict, detail: null });

  it('has the worst verdict of its checks', () => {
    const verdict = (...verdicts: ('pass' | 'warn' | 'fail')[]) =>
      gateOf(verdicts.map(check), 'now', '1').verdict;
    expect(verdict('pass', 'pass')).toBe('pass');
    expect(verdict('pass', 'warn')).toBe('warn');
    expect(verdict('fail', 'warn', 'pass')).toBe('fail');
  });

  it('is not evaluated without a source, whatever warns, unless a check failed', () => {
    const verdict = (...verdicts: ('pass' | 'warn' | 'fail')[]) =>
      gateOf(verdicts.map(check), 'now', '1', { is_unsourced: true }).verdict;
    expect(verdict('pass', 'pass')).toBe('not_evaluated');
    expect(verdict('pass', 'warn')).toBe('not_evaluated');
    expect(verdict('pass', 'fail')).toBe('fail');
  });

  it('says so when nothing was evaluated', () => {
    expect(gateOf([], 'now', '1')).toEqual({
      verdict: 'not_evaluated',
      checks: [],
      evaluated_at: null,
      policy_version: '1',
    });
  });
});
