// A domain in a temporary folder, for tests of the model machinery: one raw table, one policy table, and the models that a test writes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineRawTable } from '../../jobs/define/raw-table.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import type { ModelFolder } from '../../jobs/pipeline/models/model.ts';
import { definePolicyTable } from '../../jobs/define/policy/define.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export const readingTable = defineRawTable({
  name: 'reading',
  description: 'One reading of one meter',
  fields: [
    { name: 'meter', type: 'VARCHAR', required: true, description: 'Meter' },
    { name: 'read_at', type: 'BIGINT', required: true, description: 'Unix seconds' },
    { name: 'level', type: 'DOUBLE', description: 'Level' },
  ],
  subject: ['meter'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'it is made up' }],
  key: ['meter', 'read_at'],
  content: ['level'],
  time: 'read_at',
  observations: { model: 'obs.reading', time: 'read_at' },
});

export const limitTable = definePolicyTable({
  name: 'limits',
  columns: { name: 'VARCHAR', highest: 'DOUBLE' },
  rows: () => [],
});

export const READING_SQL = `-- One reading.
-- kind: append   grain: meter, read_at   order: meter, read_at
select lower(meter) as meter, read_at, level from landing.reading where read_at < @end
`;

export interface Scratch {
  readonly dir: string;
  domain(id: string, files: { readonly [name: string]: string }): ModelFolder;
  /** Lands readings as a Parquet file and returns its path. */
  land(
    engine: DuckDb,
    name: string,
    rows: readonly (readonly [meter: string, readAt: number, level: number])[],
  ): Promise<string>;
  remove(): void;
}

export function scratch(): Scratch {
  const dir = temporaryFolder('models');
  return {
    dir,
    domain(id, files) {
      const folder = join(dir, id);
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return {
        id,
        folder: pathToFileURL(`${folder}/`),
        raw: [readingTable],
        policy: [],
        policyTables: [limitTable],
      };
    },
    async land(engine, name, rows) {
      const path = join(dir, `${name}.parquet`);
      // Thousands of rows take a fifth of a second as text of a statement.
      const lines = `${path}.csv`;
      writeFileSync(lines, rows.map((row) => `${row.join()}\n`).join(''));
      await engine.execute(
        `copy (select *, 'test' as source_id, cast(0 as bigint) as fetched_at from read_csv('${lines}',
          auto_detect = false, header = false, columns = {meter: 'varchar', read_at: 'bigint', level: 'double'}))
          to '${path}' (format parquet)`,
      );
      return path;
    },
    remove: () => removeFolder(dir),
  };
}
