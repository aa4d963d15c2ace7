// Looks up a value in parsed JSON by a dotted path; list elements by index, `-1` for the last.

const INDEX = /^-?\d+$/;

/** Undefined when there is none. An empty path is the document itself. */
export function valueAt(document: unknown, path: string): unknown {
  if (path === '') return document;
  let value = document;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) value = INDEX.test(step) ? value.at(Number(step)) : undefined;
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step))
      value = (value as { readonly [key: string]: unknown })[step];
    else return undefined;
  }
  return value;
}

/** Parses JSON. A number that JavaScript would write differently stays the text of the source. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

const exact = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? context.source
    : value;
