// Records that are lists: the document names their columns once, and the mapping uses those names. Converts the names to element numbers.

import type { FieldMapping, FileDelivery } from '../../define/source.ts';
import { IngestError } from '../errors.ts';
import { documentAt, memberAt } from './document-values.ts';
import type { SourceFiles } from './source-files.ts';

/** `path` holds the plain bytes. @throws IngestError when the document has no list of names, or lacks a name that is mapped. */
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
