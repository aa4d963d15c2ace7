// The text of a model: its header comment, and its parameters. A model takes three, @start, @end and @now, and no other input.
export const PARAMETERS = ['start', 'end', 'now'] as const;

/** Values of the parameters, Unix seconds: the model covers start ≤ t < end as of now. */
export type Parameters = { readonly [name in (typeof PARAMETERS)[number]]: number };

export interface Header {
  /** What a row is. */
  readonly about: string;
  /** `kind`, `grain`, `order`, `time` as written; empty when not given. */
  readonly kind: string;
  readonly grain: readonly string[];
  readonly order: string;
  readonly time: string;
  /** Of an audit: `warn` or `fail`. */
  readonly verdict: string;
  /** Of an audit: `out` tables it speaks of although they do not read the table it watches. */
  readonly reaches: readonly string[];
}

/** Literals, quoted names and comments keep their @; everything else that looks like a parameter is one. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|@([A-Za-z_]\w*)/g;

/** Puts numbers in place of the parameters. Throws on a parameter there is none of, and on a value that is not a whole number. */
export function renderParameters(sql: string, values: Parameters): string {
  return sql.replace(TOKEN, (token, name?: string) => {
    if (name === undefined) return token;
    const value = (values as { readonly [name: string]: number | undefined })[name];
    if (value === undefined)
      throw new Error(`@${name} is not a parameter: there are ${PARAMETERS.map((p) => `@${p}`).join(', ')}`);
    if (!Number.isSafeInteger(value))
      throw new Error(`@${name} is ${value}, which is not a whole number of seconds`);
    return `cast(${value} as bigint)`;
  });
}

const LITERAL_OR_GAP = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(?:--[^\n]*|\/\*[\s\S]*?\*\/|\s)+/g;

/** The SQL without comments, every gap one space: what its hash is taken of. */
export const withoutComments = (sql: string): string =>
  sql.replace(LITERAL_OR_GAP, (token) => (/^['"]/.test(token) ? token : ' ')).trim();

const FIELD =
  /\b(kind|grain|order|time|verdict|reaches):\s*(.*?)\s*(?=\b(?:kind|grain|order|time|verdict|reaches):|$)/g;

/** Reads the comment lines that a file opens with. */
export function parseHeader(text: string): Header {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('--')) break;
    lines.push(line.replace(/^--\s?/, '').trim());
  }
  const first = lines.findIndex((line) => /^(kind|grain|order|time|verdict|reaches):/.test(line));
  const about = (first === -1 ? lines : lines.slice(0, first)).join(' ').trim();
  const fields = new Map<string, string>();
  for (const [, name, value] of (first === -1 ? '' : lines.slice(first).join('  ')).matchAll(FIELD)) {
    fields.set(name ?? '', (value ?? '').trim());
  }
  return {
    about,
    kind: fields.get('kind') ?? '',
    grain: namesOf(fields.get('grain')),
    order: fields.get('order') ?? '',
    time: fields.get('time') ?? '',
    verdict: fields.get('verdict') ?? '',
    reaches: namesOf(fields.get('reaches')),
  };
}

const namesOf = (list = ''): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
