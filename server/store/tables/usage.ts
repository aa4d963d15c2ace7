// Usage per organisation and month, added up in place.
import { integerOf, textOf } from './sqlite-row.ts';
import type { Session } from './sqlite-session.ts';
import type { UsageCount, UsageStore } from './store.ts';

export class SqliteUsage implements UsageStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  add(counts: readonly UsageCount[]): Promise<void> {
    return this.#session.write((db) => {
      for (const { org, month, name, count } of counts) {
        db.run(
          `insert into usage_count values (?, ?, ?, ?)
           on conflict (org, month, name) do update set count = count + excluded.count`,
          org,
          month,
          name,
          count,
        );
      }
    });
  }

  of(org: string, month: string): Promise<Partial<Record<UsageCount['name'], number>>> {
    return this.#session.read((db) =>
      Object.fromEntries(
        db
          .all('select name, count from usage_count where org = ? and month = ?', org, month)
          .map((row) => [textOf(row, 'name'), integerOf(row, 'count')]),
      ),
    );
  }
}
