// Rows as text: JSON array, NDJSON and CSV (RFC 4180). In CSV, null is an empty field and empty text is `""`; nested values are JSON.
import type { Json } from '../../platform/base/json.ts';
import type { Document } from '../../snapshots/layout.ts';
import type { Rows } from '../../snapshots/rows.ts';

/** How one form joins rows. */
export interface TextForm {
  head(rows: Rows): string;
  /** Text of a document's rows. `isFirst`: no rows come before. */
  rows(rows: Rows, document: Document, isFirst: boolean): string;
  readonly tail: string;
}

export const JSON_ROWS: TextForm = {
  head: () => '[',
  rows(rows, document, isFirst) {
    const text = rows
      .objects(document)
      .map((row) => JSON.stringify(row))
      .join(',');
    return isFirst || text === '' ? text : `,${text}`;
  },
  tail: ']',
};

export const NDJSON: TextForm = {
  head: () => '',
  rows: (rows, document) =>
    rows
      .objects(document)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  tail: '',
};

export const CSV: TextForm = {
  head: ({ columns }) => csvLine(columns.map(({ name }) => name)),
  rows: (rows, document) => rows.flat(document).map(csvLine).join(''),
  tail: '',
};

export const csvLine = (values: readonly Json[]): string => `${values.map(csvField).join(',')}\r\n`;

function csvField(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
