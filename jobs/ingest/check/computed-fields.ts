// Fields of a raw table that no source delivers.
import type { RawField, RawTable } from '../../define/raw-table.ts';

export const computedFields = (table: RawTable): RawField[] =>
  table.fields.filter((field) => field.computed !== undefined);

/** Fields that the table's enrichment fills. */
export const filledFields = ({ fields, enrichment }: RawTable): RawField[] =>
  fields.filter((field) => enrichment?.fills.includes(field.name) ?? false);
