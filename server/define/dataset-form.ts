// The forms in which a dataset can be had: names, media types, and which one a request means.

export const FORMS = {
  json: { type: 'application/json', isCompact: false },
  ndjson: { type: 'application/x-ndjson', isCompact: false },
  csv: { type: 'text/csv; charset=utf-8; header=present', isCompact: false },
  parquet: { type: 'application/vnd.apache.parquet', isCompact: true },
  arrow: { type: 'application/vnd.apache.arrow.stream', isCompact: true },
} as const;

export type Form = keyof typeof FORMS;
export const FORM_NAMES = Object.keys(FORMS) as readonly Form[];

/** Other names under which clients ask for the same. */
const ALIASES: Readonly<Record<string, Form>> = {
  'application/jsonl': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/parquet': 'parquet',
};

export const mediaTypeOf = (form: Form): string => FORMS[form].type.split(';')[0] ?? '';

/** `oracle-pairs.csv` is the dataset `oracle-pairs` as CSV; without an ending the form is left open. */
export function splitEnding(name: string): { readonly id: string; readonly form: Form | undefined } {
  const dot = name.lastIndexOf('.');
  const form = FORM_NAMES.find((ending) => ending === name.slice(dot + 1));
  return dot < 1 || form === undefined ? { id: name, form: undefined } : { id: name.slice(0, dot), form };
}

/** The form that an `Accept` header likes best, of equals the first in our order; undefined when it likes none. */
export function acceptedForm(header: string | undefined): Form | undefined {
  if (header === undefined || header.trim() === '') return 'json';
  const ranges = header.toLowerCase().split(',').map(readRange);
  let best: Form | undefined;
  let most = 0;
  for (const form of FORM_NAMES) {
    const weight = weightOf(form, ranges);
    if (weight > most) [best, most] = [form, weight];
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}

/** The most specific range that fits decides (RFC 9110, 12.5.1). */
function weightOf(form: Form, ranges: readonly Range[]): number {
  const type = mediaTypeOf(form);
  const names = [type, ...Object.keys(ALIASES).filter((alias) => ALIASES[alias] === form)];
  for (const wanted of [names, [`${type.split('/')[0]}/*`], ['*/*']]) {
    const range = ranges.find((one) => wanted.includes(one.type));
    if (range !== undefined) return range.weight;
  }
  return 0;
}
