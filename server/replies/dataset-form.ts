// The forms of a dataset: names, media types, and the choice of one for a request.
import Negotiator from 'negotiator';

export const FORMS = {
  json: { type: 'application/json', isCompact: false },
  ndjson: { type: 'application/x-ndjson', isCompact: false },
  csv: { type: 'text/csv; charset=utf-8; header=present', isCompact: false },
  parquet: { type: 'application/vnd.apache.parquet', isCompact: true },
  arrow: { type: 'application/vnd.apache.arrow.stream', isCompact: true },
} as const;

export type Form = keyof typeof FORMS;
export const FORM_NAMES = Object.keys(FORMS) as readonly Form[];

/** Alternative names that clients use. */
const ALIASES: Readonly<Record<string, Form>> = {
  'application/jsonl': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/parquet': 'parquet',
};

export const mediaTypeOf = (form: Form): string => FORMS[form].type.split(';')[0] ?? '';

/** `oracle-pairs.csv` is the dataset `oracle-pairs` as CSV; without an extension the form is undefined. */
export function splitEnding(name: string): { readonly id: string; readonly form: Form | undefined } {
  const dot = name.lastIndexOf('.');
  const form = FORM_NAMES.find((ending) => ending === name.slice(dot + 1));
  return dot < 1 || form === undefined ? { id: name, form: undefined } : { id: name.slice(0, dot), form };
}

const OFFERED: ReadonlyMap<string, Form> = new Map([
  ...FORM_NAMES.map((form) => [mediaTypeOf(form), form] as const),
  ...Object.entries(ALIASES),
]);
const PARAMETER = /;(?!\s*q\s*=)[^,;]*/gi;

/**
 * The form that an `Accept` header prefers; undefined if it accepts none. At equal quality, the more specific range wins, then the one
 * named first, then our order. Parameters are ignored: `text/csv;header=absent` returns the same CSV.
 */
export function acceptedForm(header: string | undefined): Form | undefined {
  if (header === undefined || header.trim() === '') return 'json';
  const negotiator = new Negotiator({ headers: { accept: header.replaceAll(PARAMETER, '') } });
  return OFFERED.get(negotiator.mediaType([...OFFERED.keys()]) ?? '');
}
