// Hourly states of lending markets that were recorded around events, as rows of `exit-inputs`.
import { readFileSync } from 'node:fs';
import type { MarketHours } from '../../models/exit-backtest.ts';
import { realData } from '../support/real-data.ts';

const HOUR = 3_600;

export function readHourlyStates(file: string): MarketHours {
  const [head = '', ...lines] = readFileSync(realData(`lending/${file}`), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split(',');
  const states = lines
    .map((line) => line.split(','))
    .map((cells) => {
      const value = (name: string) => Number(cells[columns.indexOf(name)]);
      const supplied = value('supplied_USD');
      const hour = Date.parse(`${cells[0]?.replace(' ', 'T')}Z`) / 1000;
      const borrowed = value('borrowed_USD');
      return { hour, supplied, borrowed, withdrawable: Math.max(0, supplied - borrowed) };
    });
  const known = states.flatMap((state, index) => {
    const next = states[index + 1];
    if (next?.hour !== state.hour + HOUR) return [];
    return [{ ...state, flow: (next.withdrawable - state.withdrawable) / state.supplied }];
  });
  return {
    hour: known.map(({ hour }) => hour),
    flow: known.map(({ flow }) => flow),
    supplied_usd: known.map(({ supplied }) => supplied),
    withdrawable_usd: known.map(({ withdrawable }) => withdrawable),
  };
}
