// A market whose source reports more withdrawable than is supplied and not lent, through the whole pipeline.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExitInputs } from '../../../../schemas/analytics.ts';
import { type InputRun, runInputFolder } from '../../../support/input-folder.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z') / 1000;
const FOLDER = new URL('./more-liquid-than-free/', import.meta.url);

let run: InputRun;
beforeAll(async () => {
  run = await runInputFolder(FOLDER, NOON);
});
afterAll(() => run?.remove());

test('no more is withdrawable than is free, the report is kept, and the market names the contradiction', () => {
  const market = run.value('lending-markets', 'ethereum|0xm1') as { readonly [field: string]: unknown };
  expect(market['withdrawable_usd']).toBeLessThanOrEqual(3_600);
  expect(market).toMatchObject({
    depth_usd: market['withdrawable_usd'],
    reported_withdrawable_usd: 9_000_000,
    state_flags: ['more_than_free'],
    is_state_contradictory: true,
  });
  const condition = run
    .documents('conditions')
    .find(({ key }) => key.startsWith('lending.contradictory_state'));
  expect(condition?.key).toBe('lending.contradictory_state|ethereum|0xm1');
});

test('no hour of the exit inputs lets 10,000 USD out', () => {
  const inputs = run.value('exit-inputs', 'ethereum:0xm1') as unknown as ExitInputs;
  expect(inputs.withdrawable_usd).toBeLessThanOrEqual(4_000);
  expect(inputs.hours.withdrawable_usd).not.toHaveLength(0);
  expect(Math.max(...inputs.hours.withdrawable_usd)).toBeLessThanOrEqual(4_000);
});

test('the order of the rows does not matter', async () => {
  const shuffled = await runInputFolder(FOLDER, NOON, (dir) => {
    const path = join(dir, 'states.csv');
    const [head = '', ...rows] = readFileSync(path, 'utf8').trim().split('\n');
    writeFileSync(path, `${[head, ...rows.reverse()].join('\n')}\n`);
  });
  expect(shuffled.value('lending-markets', 'ethereum|0xm1')).toEqual(
    run.value('lending-markets', 'ethereum|0xm1'),
  );
  shuffled.remove();
});
