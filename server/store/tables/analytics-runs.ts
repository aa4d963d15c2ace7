// Charged calculations, one row each.
import type { AnalyticsRunStore, ChargeResult, RunCharge, RunKind } from '../store.ts';
import { type Connection, integerOf, type Session } from './session.ts';

/** Rows deleted at a time, so that other work gets its turn. */
const BATCH = 200;

export class AnalyticsRunTable implements AnalyticsRunStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  isCharged(org: string, kind: RunKind, runKey: string): Promise<boolean> {
    return this.#session.read((db) => isKnown(db, { org, kind, run_key: runKey }));
  }

  countOf(org: string, kind: RunKind, month: string): Promise<number> {
    return this.#session.read((db) => countIn(db, { org, kind, month }));
  }

  charge(charge: RunCharge): Promise<ChargeResult> {
    return this.#session.write(async (db) => {
      const used = await countIn(db, charge);
      if (await isKnown(db, charge)) return { state: 'known', used };
      if (used >= charge.limit) return { state: 'exceeded', used };
      const { org, kind, run_key, month, charged_ms } = charge;
      await db.run('insert into analytics_run values (?, ?, ?, ?, ?)', org, kind, run_key, month, charged_ms);
      return { state: 'charged', used: used + 1 };
    });
  }

  async forget(beforeMs: number): Promise<number> {
    for (let forgotten = 0; ; ) {
      const deleted = await this.#session.write(
        async (db) =>
          await db.run(
            `delete from analytics_run where (org, kind, run_key) in (
             select org, kind, run_key from analytics_run where charged_ms < ? limit ${BATCH})`,
            beforeMs,
          ),
      );
      forgotten += deleted;
      if (deleted < BATCH) return forgotten;
    }
  }
}

type Run = Pick<RunCharge, 'org' | 'kind' | 'run_key'>;

async function isKnown(db: Connection, { org, kind, run_key }: Run): Promise<boolean> {
  const sql = 'select 1 from analytics_run where org = ? and kind = ? and run_key = ?';
  return (await db.get(sql, org, kind, run_key)) !== undefined;
}

async function countIn(
  db: Connection,
  { org, kind, month }: Pick<RunCharge, 'org' | 'kind' | 'month'>,
): Promise<number> {
  const sql = 'select count(*) as used from analytics_run where org = ? and kind = ? and month = ?';
  const row = await db.get(sql, org, kind, month);
  return row === undefined ? 0 : integerOf(row, 'used');
}
