// Parses the records of a body, for paging and guards. Landing reads the bytes itself. Numbers that JavaScript would change stay text.

import type { LiveMappingOf } from '../fetch/live-source.ts';
import { NetFault } from './net-fault.ts';
import { parseExactly, valueAt } from './value-at.ts';

export interface ParsedPage {
  readonly document: unknown;
  readonly records: readonly unknown[];
}

const MAX_KEYS = 8;

/** @throws NetFault `content` when there are no records where the mapping expects them. */
export function recordsOf(body: Buffer, mapping: LiveMappingOf): ParsedPage {
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  if (mapping.format === 'csv')
    return { document: null, records: csvRecords(text, mapping.delimiter ?? ',') };
  if (mapping.format === 'ndjson')
    return { document: null, records: linesOf(text).map((line) => parsed(line)) };
  return recordsIn(parsed(text), mapping);
}

/** The records of a parsed document. @throws NetFault `content` */
export function recordsIn(document: unknown, mapping: LiveMappingOf): ParsedPage {
  const found = valueAt(document, mapping.records ?? '');
  if (mapping.has_entries && isObject(found)) return { document, records: entriesOf(found) };
  if (Array.isArray(found)) return { document, records: withColumns(found, document, mapping.columns) };
  // One object at the path is one record.
  if (isObject(found) && !mapping.has_entries) return { document, records: [found] };
  const keys = isObject(document) ? ` It has ${Object.keys(document).slice(0, MAX_KEYS).join(', ')}.` : '';
  throw new NetFault('content', `there are no records at "${mapping.records ?? ''}".${keys}`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (cause) {
    throw new NetFault('content', 'the body is not JSON.', { cause });
  }
}

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** Sufficient for counts and column names; quoted cells are parsed when they land. */
function csvRecords(text: string, delimiter: string): readonly unknown[] {
  const [header, ...lines] = linesOf(text);
  const names = (header ?? '').split(delimiter);
  return lines.map((line) => {
    const cells = line.split(delimiter);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
  });
}

const entriesOf = (map: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(map).map(([key, value]) => ({
    '@key': key,
    ...(isObject(value) ? value : { '@value': value }),
  }));

function withColumns(
  records: readonly unknown[],
  document: unknown,
  columns: string | null,
): readonly unknown[] {
  if (columns === null) return records;
  const names = valueAt(document, columns);
  if (!Array.isArray(names)) throw new NetFault('content', `there are no column names at "${columns}".`);
  return records.map((record) =>
    Array.isArray(record)
      ? Object.fromEntries(names.map((name, index) => [String(name), record[index]]))
      : record,
  );
}
