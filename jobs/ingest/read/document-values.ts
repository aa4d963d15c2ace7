// What a JSON document states once for all of its rows: values that they share, such as the time of a listing, which become constants; and
// the names of columns of records that are lists, which the mapping uses.

import type { FieldMapping, FileDelivery } from '../../define/source.ts';
import { IngestError } from '../errors.ts';
import type { SourceFiles } from './source-files.ts';

type Mappings = { readonly [field: string]: FieldMapping };

/** `path` holds the plain bytes. @throws IngestError when the document has no text, number or boolean at a path. */
export async function withDocumentValues(
  files: SourceFiles,
  { fields, path: file }: FileDelivery,
  path: string,
): Promise<Mappings> {
  if (Object.values(fields).every(({ document }) => document === undefined)) return fields;
  const root = await documentAt(files, path, file);
  return Object.fromEntries(
    Object.entries(fields).map(([field, mapping]) => {
      const { document: wanted, ...rest } = mapping;
      if (wanted === undefined) return [field, mapping];
      return [field, { ...rest, value: valueAt(root, wanted, { file, field }) }];
    }),
  );
}

/** `path` holds the plain bytes; `file` is what a message names. Numbers stay the text of the source. */
export async function documentAt(files: SourceFiles, path: string, file: string): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of files.read(path)) chunks.push(chunk);
  try {
    return JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
      exactNumbers,
    );
  } catch (cause) {
    throw new IngestError('bad_document', 'it is not JSON', {
      file,
      todo: 'Correct the file, or the "format" of its source',
      cause,
    });
  }
}

/** A number stays its source text, so that an integer beyond 2^53 keeps its digits. */
function exactNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

/** Undefined if there is nothing at the path. */
export function memberAt(root: unknown, path: string): unknown {
  let value: unknown = root;
  for (const key of path.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as { readonly [key: string]: unknown })[key]
        : undefined;
  return value;
}

function valueAt(
  root: unknown,
  path: string,
  location: { readonly file: string; readonly field: string },
): string | number | boolean {
  const value = memberAt(root, path);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new IngestError('bad_document', `the document has no value at "${path}"`, {
    ...location,
    todo: 'Give the dotted path of a text, a number, true or false',
  });
}

/**
 * Converts the names of columns in a mapping to element numbers. `path` holds the plain bytes.
 * @throws IngestError when the document has no list of names, or lacks a name that is mapped.
 */
export async function withColumnNumbers(
  files: SourceFiles,
  delivery: FileDelivery,
  path: string,
): Promise<FileDelivery> {
  const { columns, path: file, fields, where } = delivery;
  if (columns === undefined) return delivery;
  const names = memberAt(await documentAt(files, path, file), columns);
  if (!Array.isArray(names)) {
    const todo = 'Give the dotted path of the list of names';
    throw new IngestError('bad_document', `the document has no list at "${columns}"`, { file, todo });
  }
  const numberOf = (name: string, field: string): string => {
    const number = names.indexOf(name);
    if (number !== -1) return String(number);
    const what = `no column "${name}". The columns are ${names.map((one) => `"${one}"`).join(', ')}`;
    throw new IngestError('missing_column', what, { file, field, todo: 'Correct "from" in the mapping' });
  };
  return {
    ...delivery,
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, mapping]) => [
        field,
        numbered(mapping, (name) => numberOf(name, field)),
      ]),
    ),
    ...(where === undefined
      ? {}
      : {
          where: Object.fromEntries(
            Object.entries(where).map(([name, condition]) => [numberOf(name, `where.${name}`), condition]),
          ),
        }),
  };
}

function numbered(mapping: FieldMapping, numberOf: (name: string) => string): FieldMapping {
  const { from } = mapping;
  if (from === undefined) return mapping;
  return { ...mapping, from: typeof from === 'string' ? numberOf(from) : from.map(numberOf) };
}
