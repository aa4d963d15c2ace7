// What DuckDB reads from the text of a query: it parses for every engine. What a syntax tree means is decided elsewhere.
import type { Json } from '../../platform/base/json.ts';
import type { Parameters } from './parameters.ts';

/** DuckDB's syntax tree, as returned by `json_serialize_sql`. */
export type SyntaxTree = { readonly [key: string]: Json };

export const isTree = (node: Json | undefined): node is SyntaxTree =>
  node !== null && typeof node === 'object' && !Array.isArray(node);

export const treesIn = (list: Json | undefined): readonly SyntaxTree[] =>
  Array.isArray(list) ? list.filter(isTree) : [];

/** Numbers that stand for the parameters in a syntax tree: no query writes them itself. */
export const MARKS: Parameters = {
  start: 9_007_199_254_740_001,
  end: 9_007_199_254_740_002,
  now: 9_007_199_254_740_003,
};

/** Queries may contain parameters. Each query is parsed once per process, however often it is read. */
export interface SqlSyntax {
  /** Parses queries that are read next in one statement: one for each takes three times as long. Throws on an unknown parameter. */
  parseAhead(sqls: readonly string[]): Promise<void>;
  /** Qualified names of the tables that a query reads, without common table expressions: `obs.feed_round`. */
  tablesRead(sql: string): Promise<readonly string[]>;
  /** Names of a query's columns, from its text alone: its tables need not exist. Throws where the text says `*`. */
  columnsNamed(sql: string): Promise<readonly string[]>;
  /** What `read` finds in the syntax tree of a query. `name` identifies `read`, whose result is kept for this text, also on disk. */
  readTree<T extends object>(name: string, sql: string, read: (tree: SyntaxTree) => T): Promise<T>;
}
