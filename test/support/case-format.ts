// Layout of case files: indented structure, one row per line. A row too wide for one line is filled, several fields to a line.

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MAX_WIDTH = 160;
/** File, list of cases, case, and the tables of `given`: everything above the rows is always broken into lines. */
const STRUCTURE = new Set(['', 'cases', 'cases.*', 'cases.*.given', 'cases.*.given.*', 'cases.*.expect']);

/** The text of a case file, laid out. @throws SyntaxError if it is not JSON */
export const formatCases = (text: string): string =>
  `${lines(JSON.parse(text) as Json, { path: [], indent: '', lead: 0 })}\n`;

interface Place {
  readonly path: readonly string[];
  readonly indent: string;
  /** Characters on the line before the value, taken by its key. */
  readonly lead: number;
}

function lines(value: Json, location: Place): string {
  const flat = oneLine(value);
  if (value === null || typeof value !== 'object' || flat === '[]' || flat === '{}') return flat;
  const isStructure = STRUCTURE.has(location.path.join('.'));
  if (!isStructure && location.indent.length + location.lead + flat.length < MAX_WIDTH) return flat;
  const indent = `${location.indent}  `;
  const items = Array.isArray(value)
    ? value.map((item: Json) => lines(item, { path: [...location.path, '*'], indent, lead: 0 }))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        const step = isStructure && location.path.at(-1) === 'given' ? '*' : key;
        return name + lines(item, { path: [...location.path, step], indent, lead: name.length });
      });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const isRow = !isStructure && !Array.isArray(value) && location.lead === 0;
  if (isRow && !items.some((item) => item.includes('\n')))
    return `{ ${fill(items, indent).join(',\n').trimStart()} }`;
  const isList = isStructure || (Array.isArray(value) && items.some((item) => item.startsWith('{')));
  const body = isList ? items.map((item) => indent + item) : fill(items, indent);
  return `${open}\n${body.join(',\n')}\n${location.indent}${close}`;
}

/** Fits as many items on a line as possible. An item of several lines starts and ends its own. */
function fill(items: readonly string[], indent: string): string[] {
  const filled: string[] = [];
  for (const item of items) {
    const last = filled.at(-1);
    const fits = last !== undefined && last.length + item.length + 3 < MAX_WIDTH;
    if (fits && !item.includes('\n') && !last.includes('\n')) filled[filled.length - 1] = `${last}, ${item}`;
    else filled.push(indent + item);
  }
  return filled;
}

function oneLine(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
