// DuckDB's syntax tree, as returned by `json_serialize_sql`.
import type { Json } from '../../../platform/base/json.ts';

export type SyntaxTree = { readonly [key: string]: Json };

export const isTree = (node: Json | undefined): node is SyntaxTree =>
  node !== null && typeof node === 'object' && !Array.isArray(node);

export const treesIn = (list: Json | undefined): readonly SyntaxTree[] =>
  Array.isArray(list) ? list.filter(isTree) : [];
