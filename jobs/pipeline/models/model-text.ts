// The header comment of a model.

export interface Header {
  /** What one row stands for. */
  readonly about: string;
  /** `kind`, `grain`, `order`, `time` as written; empty when not given. */
  readonly kind: string;
  readonly grain: readonly string[];
  readonly order: string;
  readonly time: string;
  /** For an audit: `warn` or `fail`. */
  readonly verdict: string;
  /** For an audit: further `out` tables to which it applies although they do not read the audited table. */
  readonly reaches: readonly string[];
}

const FIELD =
  /\b(kind|grain|order|time|verdict|reaches):\s*(.*?)\s*(?=\b(?:kind|grain|order|time|verdict|reaches):|$)/g;

/** Reads the comment lines at the top of a file. */
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
