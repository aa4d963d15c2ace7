// What a source delivers about one subject.
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import type { FileRow } from '../../../support/file-world.ts';

/** The rows of one subject of a raw table. */
export interface SubjectRows {
  readonly table: RawTable;
  /** Field of the subject -> its value. */
  readonly subject: ReadonlyMap<string, string>;
  /** Known at the first run. */
  readonly earlier: readonly FileRow[];
  /** Known at the second run only. */
  readonly later: readonly FileRow[];
}
