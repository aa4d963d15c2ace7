// Usage per organisation and period, added up in place. The column `month` holds the period: a month, or a day, which has a longer text.

import type { Buckets } from '../latency-buckets.ts';
import { TOOK, type UsageCount, type UsageDays, type UsageStore } from '../store.ts';
import { integerOf, type Row, type Session, textOf, textOrNull } from './session.ts';

const IS_DAY = 'length(month) = 10';

export class UsageTable implements UsageStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  add(counts: readonly UsageCount[]): Promise<void> {
    return this.#session.write(async (db) => {
      for (const { org, period, name, count } of counts) {
        await db.run(
          `insert into usage_count values (?, ?, ?, ?)
           on conflict (org, month, name) do update set count = usage_count.count + excluded.count`,
          org,
          period,
          name,
          count,
        );
      }
    });
  }

  of(org: string, period: string): Promise<Partial<Record<UsageCount['name'], number>>> {
    return this.#session.read(async (db) => {
      const sql = 'select name, count from usage_count where org = ? and month = ?';
      const rows = await db.all(sql, org, period);
      return Object.fromEntries(rows.map((row) => [textOf(row, 'name'), integerOf(row, 'count')]));
    });
  }

  daysOf(org: string, from: string): Promise<UsageDays> {
    return this.#session.read(async (db) => {
      const first = await db.get(
        `select min(month) as since from usage_count where org = ? and ${IS_DAY}`,
        org,
      );
      const rows = await db.all(
        `select month, name, count from usage_count where org = ? and ${IS_DAY} and month >= ? order by month, name`,
        org,
        from,
      );
      return { since: first === undefined ? null : textOrNull(first, 'since'), days: daysIn(rows) };
    });
  }

  forgetDays(before: string): Promise<number> {
    return this.#session.write((db) =>
      db.run(`delete from usage_count where ${IS_DAY} and month < ?`, before),
    );
  }
}

function daysIn(rows: readonly Row[]): UsageDays['days'] {
  const days = Map.groupBy(rows, (row) => textOf(row, 'month'));
  return [...days].map(([day, counts]) => {
    const countOf = (name: UsageCount['name']) => {
      const row = counts.find((one) => textOf(one, 'name') === name);
      return row === undefined ? 0 : integerOf(row, 'count');
    };
    return { day, requests: countOf('requests'), errors: countOf('errors'), took: tookIn(counts) };
  });
}

const tookIn = (counts: readonly Row[]): Buckets =>
  new Map(
    counts
      .map((row) => [textOf(row, 'name'), integerOf(row, 'count')] as const)
      .filter(([name]) => name.startsWith(TOOK))
      .map(([name, count]) => [Number(name.slice(TOOK.length)), count]),
  );
