// A CSV reader that shares nothing with landing, so that a test can count for itself.
import { readFileSync } from 'node:fs';

export type CsvRow = { readonly [column: string]: string };

/** The rows of a UTF-8 file by the names of its header. */
export async function csvRows(path: string): Promise<readonly CsvRow[]> {
  const [header = [], ...records] = recordsOf(readFileSync(path, 'utf8'));
  return records.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
}

function recordsOf(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (cells.length > 1) records.push(cells);
    cells = [];
  }
  return records;
}
