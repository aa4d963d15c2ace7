// Renders a dataset in one form from its published file. Equal files and descriptions produce equal bytes.
import type { Json } from '../../platform/base/json.ts';
import { datasetLines } from '../../snapshots/dataset-file.ts';
import type { Document, TableInfo } from '../../snapshots/layout.ts';
import { rowsOf, type Rows } from '../../snapshots/rows.ts';
import { arrowStream } from './arrow.ts';

// Rows as text: JSON array, NDJSON and CSV (RFC 4180). In CSV, null is an empty field and empty text is `""`; nested values are JSON.

/** How one form joins rows. */
interface TextForm {
  head(rows: Rows): string;
  /** Text of a document's rows. `isFirst`: no rows come before. */
  rows(rows: Rows, document: Document, isFirst: boolean): string;
  readonly tail: string;
}

const JSON_ROWS: TextForm = {
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

const NDJSON: TextForm = {
  head: () => '',
  rows: (rows, document) =>
    rows
      .objects(document)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  tail: '',
};

const CSV: TextForm = {
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

export type RenderedForm = 'json' | 'ndjson' | 'csv' | 'arrow';

const TEXT_FORMS = { json: JSON_ROWS, ndjson: NDJSON, csv: CSV } as const;
const DOCUMENTS_PER_TURN = 1_024;

/** JSON is only the array of rows. Yields to other work in between. @throws RefusedInputError for rows that do not match their columns */
export function render(form: RenderedForm, table: TableInfo, file: Buffer): Promise<Buffer> {
  return form === 'arrow' ? renderArrow(table, file) : renderText(TEXT_FORMS[form], table, file);
}

async function renderText(form: TextForm, table: TableInfo, file: Buffer): Promise<Buffer> {
  const rows = rowsOf(table);
  const pieces = [Buffer.from(form.head(rows))];
  let isFirst = true;
  for await (const documents of turns(file)) {
    const texts = documents.map((document) => {
      const text = form.rows(rows, document, isFirst);
      isFirst &&= text === '';
      return text;
    });
    pieces.push(Buffer.from(texts.join('')));
  }
  return Buffer.concat([...pieces, Buffer.from(form.tail)]);
}

async function renderArrow(table: TableInfo, file: Buffer): Promise<Buffer> {
  const rows = rowsOf(table);
  const stream = await arrowStream(rows.columns);
  for await (const documents of turns(file)) stream.add(documents.flatMap((document) => rows.flat(document)));
  return stream.end();
}

async function* turns(file: Buffer): AsyncGenerator<readonly Document[]> {
  let documents: Document[] = [];
  for (const line of datasetLines(file)) {
    documents.push(JSON.parse(line) as Document);
    if (documents.length < DOCUMENTS_PER_TURN) continue;
    yield documents;
    documents = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield documents;
}
