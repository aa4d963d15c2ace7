// Case files: the result of a model for a handful of rows. `test/jobs/families/<family>/<layer>.<table>.case.json`,
// events in `test/jobs/families/<family>/event.<type>.case.json`.
import { existsSync, readFileSync } from 'node:fs';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import type { Query } from '../../jobs/pipeline/models/model.ts';
import type { Json } from '../../platform/base/json.ts';

export type CaseRow = { readonly [column: string]: Json };

export interface Case {
  readonly about: string;
  readonly params: Parameters;
  /** Rows of the tables the model reads. Columns that a row leaves out are null. */
  readonly given: { readonly [table: string]: readonly CaseRow[] };
  /** All expected rows, in any order, compared by the columns that any of them names. */
  readonly expect: readonly CaseRow[];
}

const PROJECT = new URL('../../', import.meta.url);

export const casePath = (query: Query) =>
  query.file.replace(/^jobs\//, 'test/jobs/').replace(/\.sql$/, '.case.json');

/** The cases of a model or an event; null without a case file. @throws if the file is malformed */
export function readCases(query: Query): readonly Case[] | null {
  const path = casePath(query);
  const url = new URL(path, PROJECT);
  if (!existsSync(url)) return null;
  let file: { readonly cases?: unknown };
  try {
    file = JSON.parse(readFileSync(url, 'utf8')) as typeof file;
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${String(cause)}`, { cause });
  }
  if (!Array.isArray(file.cases) || file.cases.length === 0) throw new Error(`${path} has no cases`);
  for (const [index, one] of file.cases.entries())
    checkCase(one as { readonly [key: string]: unknown }, `${path}, case ${index + 1}`);
  return file.cases as readonly Case[];
}

const KEYS = ['about', 'expect', 'given', 'params'];

function checkCase(one: { readonly [key: string]: unknown }, where: string): void {
  const keys = Object.keys(one).sort();
  if (keys.join() !== KEYS.join())
    throw new Error(`${where} has ${keys.join(', ')}; a case has ${KEYS.join(', ')}`);
  if (typeof one['about'] !== 'string' || one['about'] === '') throw new Error(`${where} has no "about"`);
  if (!Array.isArray(one['expect'])) throw new Error(`${where} has no list of expected rows`);
}
