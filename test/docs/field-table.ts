// The fields of a schema as a table: dotted names, `[]` for the items of a list, types, and the schema's own descriptions.
import type { TSchema } from '../../schemas/define.ts';
import { markdownTable } from './markdown-table.ts';

type Node = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, type: string, description: string];

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const isNull = (node: Node) => node['type'] === 'null';
const choicesOf = (node: Node) => (Array.isArray(node['anyOf']) ? node['anyOf'].filter(isNode) : []);

/** Without `null`, which the type names instead. */
function withoutNull(node: Node): { readonly node: Node; readonly orNull: string } {
  const choices = choicesOf(node);
  const rest = choices.filter((choice) => !isNull(choice));
  const [only] = rest;
  return rest.length === 1 && only !== undefined && rest.length < choices.length
    ? { node: { ...only, description: node['description'] ?? only['description'] }, orNull: ' or null' }
    : { node, orNull: '' };
}

const listed = (values: readonly unknown[]) => values.map((value) => `\`${String(value)}\``).join(' ');

function typeOf(node: Node): string {
  if (Array.isArray(node['enum'])) return listed(node['enum']);
  if ('const' in node) return listed([node['const']]);
  if (isNode(node['items'])) return `list of ${typeOf(withoutNull(node['items']).node)}`;
  return String(node['type'] ?? 'any');
}

/** Members of an object, of the items of a list, or of the values of a map. */
function inner(node: Node, name: string): { readonly prefix: string; readonly node: Node } | undefined {
  if (isNode(node['properties'])) return { prefix: `${name}.`, node };
  const { items, patternProperties } = node;
  if (isNode(items) && isNode(items['properties'])) return { prefix: `${name}[].`, node: items };
  const [values] = Object.values(isNode(patternProperties) ? patternProperties : {});
  return isNode(values) && isNode(values['properties'])
    ? { prefix: `${name}.<key>.`, node: values }
    : undefined;
}

function rowsOf(object: Node, prefix: string): Row[] {
  const { properties } = object;
  const required = new Set(Array.isArray(object['required']) ? object['required'] : []);
  return Object.entries(isNode(properties) ? properties : {}).flatMap(([name, member]) => {
    const { node, orNull } = withoutNull(isNode(member) ? member : {});
    const optional = required.has(name) ? '' : ', may be absent';
    const path = `${prefix}${name}`;
    const row: Row = [
      `\`${path}\``,
      `${typeOf(node)}${orNull}${optional}`,
      String(node['description'] ?? ''),
    ];
    const below = inner(node, path);
    return below === undefined ? [row] : [row, ...rowsOf(below.node, below.prefix)];
  });
}

const MAX_CELL = 250;

/** A meaning of the form "`a`: …; `b`: …" as items. */
const itemsOf = (meaning: string): readonly string[] => meaning.split(/; (?=`[\w.]+`: )/);
const list = (field: string, items: readonly string[]) =>
  `\nValues of ${field}:\n\n${items.map((item) => `- ${item}\n`).join('')}`;

/** Values and meanings that are too long for a cell, as a list below the table. */
function longList([name, type, meaning]: Row): string {
  if (meaning.length > MAX_CELL && itemsOf(meaning).length > 1) return list(name, itemsOf(meaning));
  return type.length > MAX_CELL ? list(name, type.match(/`[^`]+`/g) ?? []) : '';
}

export function fieldTable(schema: TSchema): string {
  const rows = rowsOf(schema as unknown as Node, '');
  const short = rows.map((row): Row => {
    if (longList(row) === '') return row;
    const [name, type, meaning] = row;
    const isListed = itemsOf(meaning).length > 1 && meaning.length > MAX_CELL;
    const kind = type.length > MAX_CELL || isListed ? type.replace(/(`[^`]+` ?)+/, 'a value below') : type;
    return [name, kind.trim(), isListed ? 'See the values below' : meaning];
  });
  return [markdownTable(['Field', 'Type', 'Meaning'], short), ...rows.map(longList)].join('');
}
