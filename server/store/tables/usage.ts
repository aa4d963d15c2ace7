// Usage per organisation and month, added up in place.
import { integerOf, textOf } from './row.ts';
import type { Session } from './session.ts';
import type { UsageCount, UsageStore } from '../store.ts';

export class UsageTable implements UsageStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  add(counts: readonly UsageCount[]): Promise<void> {
    return this.#session.write(async (db) => {
      for (const { org, month, name, count } of counts) {
        await db.run(
          `insert into usage_count values (?, ?, ?, ?)
           on conflict (org, month, name) do update set count = usage_count.count + excluded.count`,
          org,
          month,
          name,
          count,
        );
      }
    });
  }

  of(org: string, month: string): Promise<Partial<Record<UsageCount['name'], number>>> {
    return this.#session.read(async (db) => {
      const sql = 'select name, count from usage_count where org = ? and month = ?';
      const rows = await db.all(sql, org, month);
      return Object.fromEntries(rows.map((row) => [textOf(row, 'name'), integerOf(row, 'count')]));
    });
  }
}
