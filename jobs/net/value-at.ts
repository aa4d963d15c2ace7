// Looks up a value in parsed JSON by a dotted path; list elements by their number, `-1` for the last.

/** Undefined when there is none. An empty path is the document itself. */
export function valueAt(document: unknown, path: string): unknown {
  if (path === '') return document;
  let value = document;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) value = value.at(Number(step));
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step))
      value = (value as { readonly [key: string]: unknown })[step];
    else return undefined;
  }
  return value;
}

/** Numbers keep the text they are written as where JavaScript would write them differently. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

const exact = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? context.source
    : value;
