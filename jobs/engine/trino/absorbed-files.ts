// Which landed files the `append` models hold, as recorded in PostgreSQL.
import type { AbsorbedFile, AbsorbedFiles } from '../warehouse.ts';
import type { Database } from './database.ts';

async function list(database: Database, models: readonly string[]): Promise<readonly AbsorbedFile[]> {
  const rows = await database.query(
    'select model, file, sha256 from absorbed where model = any($1) and not is_pending order by file collate "C", model collate "C"',
    [models],
  );
  return rows.map(({ model, file, sha256 }) => ({
    model: String(model),
    file: String(file),
    sha256: sha256 === null ? null : String(sha256),
  }));
}

export function absorbedFiles(database: Database): AbsorbedFiles {
  return {
    list: (models) => list(database, models),
    async adopt(model, { file, sha256, replaces }) {
      await database.transaction(async (transaction) => {
        const parts = 'model = $1 and file = any($2)';
        await transaction.query(
          `insert into absorbed (model, file, first_time, is_settled, sha256, batch)
           select model, $3, min(first_time), bool_and(is_settled), $4, max(batch) from absorbed where ${parts} group by model`,
          [model, replaces, file, sha256],
        );
        await transaction.query(`delete from absorbed where ${parts}`, [model, replaces]);
      });
    },
    async firstTime(of) {
      const open = of === 'unsettled' ? ' where not is_settled' : '';
      const [row] = await database.query(`select min(first_time) as first_time from absorbed${open}`);
      return typeof row?.['first_time'] === 'number' ? row['first_time'] : null;
    },
    async lateModels(before) {
      const late = await database.query(
        'select distinct model collate "C" as model from absorbed where not is_settled and first_time < $1 order by 1',
        [before],
      );
      return late.map(({ model }) => String(model));
    },
    async settle() {
      await database.query('update absorbed set is_settled = true where not is_settled');
    },
  };
}
