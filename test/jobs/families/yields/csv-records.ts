// CSV (RFC 4180) read in the plainest way, for what a test expects of a file.

export type CsvRecord = Readonly<Record<string, string>>;

const FIELD = /,(?:"((?:[^"]|"")*)"|([^,]*))/g;

export function csvRecords(text: string): readonly CsvRecord[] {
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const names = fieldsOf(head);
  return lines.map((line) => {
    const fields = fieldsOf(line);
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? '']));
  });
}

/** With a comma before the first field too, every field begins with one. */
const fieldsOf = (line: string): readonly string[] =>
  [...`,${line}`.matchAll(FIELD)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
