// Line-delimited JSON as a relation, in three ways. Bulk: the engine parses objects straight into columns and refuses the file at the first
// line that is not an object. By lines: it reads text and extracts values. Staged: lines are parsed here; only this keeps every digit of a
// fraction.

import { list } from '../../engine/duckdb/landed-sql.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import {
  BROKEN_UTF8,
  batchesOf,
  decode,
  dropStaged,
  nowhere,
  type RawRows,
  STAGED,
  type StagedRow,
  stage,
  type TextSource,
  type Way,
} from './read-text.ts';
import { pick, type Relation, wantedNames } from './relation.ts';
import { type RawRecord, splitLines } from './split-records.ts';

export interface JsonFacts {
  /** Names in `from` are keys, not dotted paths. */
  readonly hasLiteralPaths?: boolean;
  /** Fields whose text keeps every digit. */
  readonly exactFields?: readonly ExactField[];
}

export interface ExactField {
  readonly name: string;
  readonly isAmount: boolean;
}

const NO_DELIMITER = '\u0001';
const NOT_JSON = 'record: not JSON';
/** Never quarantined: causes the file to be read again in the way that keeps all digits. */
export const INEXACT = 'record: a number that the engine would round';

export async function linesRelation(source: TextSource & JsonFacts, way: Way): Promise<Relation> {
  const { db, files, path } = source;
  const split = () => splitLines(files.read(path));
  const locate: Relation['locate'] = (wanted, rows) => pick(split(), wanted, rows);
  const dispose = async () => {};
  if (way === 'staged') {
    await stage(db, ['c0'], parseLines(split()));
    return {
      ...extraction(source, `(select c0, broken from ${STAGED})`, true),
      locate,
      dispose: () => dropStaged(db),
    };
  }
  const tree = way === 'bulk' ? columnTree(source) : null;
  if (tree !== null) return { ...bulk(source, tree), locate, dispose };
  const lines = `read_csv(${literal(path)}, auto_detect = false, header = false, delim = ${literal(NO_DELIMITER)}, quote = '', escape = '', columns = {'c0': 'VARCHAR'})`;
  const filled = `(select c0, null as broken from ${lines} where trim(c0, ${literal(' \t\r')}) <> '')`;
  return { ...extraction(source, filled, false), locate, dispose };
}

/** Lines already in memory, each read on its own. */
export async function stagedLines(source: RawRows & JsonFacts): Promise<Relation> {
  await stage(source.db, ['c0'], batchesOf(source.raws.map(lineRow)));
  const rows = extraction(source, `(select c0, broken from ${STAGED})`, true);
  return { ...rows, locate: nowhere, dispose: () => dropStaged(source.db) };
}

type Cells = Pick<Relation, 'header' | 'cells' | 'from' | 'structure'>;
type MappedJson = Pick<TextSource, 'fields'> & JsonFacts;

/** Keys of the objects that hold mapped values; a leaf is null. */
interface Tree {
  [key: string]: Tree | null;
}

/** Without a prototype: keys are names that a source chose. */
const emptyTree = (): Tree => Object.create(null) as Tree;

/** Null when the engine's object reader cannot reach all of the mapped values: list elements, or a key that is both value and object. */
function columnTree({ fields, hasLiteralPaths = false }: MappedJson): Tree | null {
  const root = emptyTree();
  const known = new Set<string>();
  for (const path of new Set(Object.values(fields).flatMap(wantedNames))) {
    const steps = hasLiteralPaths ? [path] : path.split('.');
    let at = root;
    for (const [depth, step] of steps.entries()) {
      const isLeaf = depth === steps.length - 1;
      const next = at[step];
      if (/^[0-9]*$/.test(step) || (next !== undefined && (isLeaf || next === null))) return null;
      // Column names in the engine are case-insensitive; JSON keys are case-sensitive.
      const folded = steps
        .slice(0, depth + 1)
        .join('\n')
        .toLowerCase();
      if (next === undefined && known.has(folded)) return null;
      known.add(folded);
      const below: Tree = next ?? emptyTree();
      at[step] = isLeaf ? null : below;
      at = below;
    }
  }
  return Object.keys(root).length === 0 ? null : root;
}

function bulk(source: TextSource & JsonFacts, tree: Tree): Cells {
  const { fields, path, hasLiteralPaths = false } = source;
  const columns = Object.entries(tree).map(([key, below]) => `${literal(key)}: ${literal(typeOf(below))}`);
  const cellOf = (name: string) => (hasLiteralPaths ? [name] : name.split('.')).map(quoted).join('.');
  const cells = (field: string) => wantedNames(fields[field]).map((name) => `r.${cellOf(name)}`);
  return {
    header: null,
    cells,
    from: `read_json(${literal(path)}, format = 'newline_delimited', records = true, columns = {${columns.join(', ')}}) r`,
    ...withExactness(source, cells, 'null'),
  };
}

const typeOf = (tree: Tree | null): string => {
  if (tree === null) return 'VARCHAR';
  return `STRUCT(${Object.entries(tree)
    .map(([key, below]) => `${quoted(key)} ${typeOf(below)}`)
    .join(', ')})`;
};

/** Parses a line once for all of its cells. */
function extraction(source: MappedJson, lines: string, isExact: boolean): Cells {
  const { fields, hasLiteralPaths = false } = source;
  const paths = [...new Set(Object.values(fields).flatMap(wantedNames))];
  const jsonPaths = list(paths.map((name) => jsonPath(name, hasLiteralPaths)));
  const cells = (field: string) => wantedNames(fields[field]).map((name) => `v[${paths.indexOf(name) + 1}]`);
  const structure = `coalesce(broken, case when v is null then ${literal(NOT_JSON)} end)`;
  return {
    header: null,
    cells,
    from: `(select case when json_valid(c0) then json_extract_string(c0, ${jsonPaths}) end as v, broken from ${lines})`,
    structure,
    ...(isExact ? {} : withExactness(source, cells, structure)),
  };
}

/** The engine reads fractions as doubles. Where the text matters, fractions and exponential numbers need the staged way. */
function withExactness(
  { exactFields = [] }: MappedJson,
  cells: Cells['cells'],
  structure: string,
): { structure?: string } {
  const odd = exactFields.flatMap(({ name, isAmount }) =>
    cells(name).map((text) => {
      // The engine writes 1.000000000000000001 as 1.0.
      const fraction = isAmount
        ? `contains(${text}, '.')`
        : `(contains(${text}, '.') and length(${text}) > 16)`;
      return `${fraction} or (contains(${text}, 'e') and try_cast(${text} as double) is not null)`;
    }),
  );
  if (odd.length === 0) return {};
  return { structure: `coalesce(${structure}, case when ${odd.join(' or ')} then ${literal(INEXACT)} end)` };
}

/** `docs.baseAsset` -> `$."docs"."baseAsset"`, `pair.0` -> `$."pair"[0]` */
function jsonPath(dotted: string, isLiteral: boolean): string {
  const steps = isLiteral ? [dotted] : dotted.split('.');
  const written = steps.map((step) =>
    !isLiteral && /^[0-9]+$/.test(step) ? `[${step}]` : `."${step.replaceAll('"', '\\"')}"`,
  );
  return `$${written.join('')}`;
}

async function* parseLines(batches: AsyncIterable<RawRecord[]>): AsyncIterable<StagedRow[]> {
  for await (const records of batches) yield records.map(({ bytes }) => lineRow(bytes));
}

function lineRow(bytes: Buffer): StagedRow {
  const text = decode(bytes);
  if (text === null) return { broken: BROKEN_UTF8, cells: [] };
  const exact = /[0-9][.eE]/.test(text) ? withExactNumbers(text) : text;
  return exact === null ? { broken: NOT_JSON, cells: [] } : { broken: null, cells: [exact] };
}

type WithSource = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Numbers that JavaScript would write differently become strings of the original text; null when the line is not JSON. */
function withExactNumbers(text: string): string | null {
  const keep: WithSource = (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
  try {
    return JSON.stringify(JSON.parse(text, keep as (key: string, value: unknown) => unknown));
  } catch {
    return null;
  }
}
