// Models, event queries and audits: the `.sql` files of the domains, read, checked and sorted into build order.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeExact } from '../../engine/exact.ts';
import { NO_TIME, renderParameters } from '../../engine/parameters.ts';
import type { SqlSyntax } from '../../engine/syntax.ts';
import type { Audit, EventQuery, Model, ModelFolder, ModelSet } from './model.ts';
import { KINDS, type ModelKind } from '../../engine/model.ts';
import { readDependencies } from '../../incremental/sql/time-use.ts';
import { checkLayering, inBuildOrder } from './model-graph.ts';

const MODEL_FILE = /^(obs|derived|out)\.([a-z][a-z0-9_]*)(\.audit)?\.sql$/;
const EVENT_FILE = /^event\.([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)\.sql$/;

/** Reads every `.sql` file of the domains. Throws one error that names every faulty file and what to do about it. */
export async function loadModels(syntax: SqlSyntax, domains: readonly ModelFolder[]): Promise<ModelSet> {
  const problems: string[] = [];
  const models: Model[] = [];
  const events: EventQuery[] = [];
  const audits: Audit[] = [];
  const refuse = ({ path }: SqlFile, error: unknown) =>
    void problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  for (const domain of domains) {
    const files = sqlFiles(domain).flatMap((file) => {
      try {
        return [{ ...file, text: queryText(file) }];
      } catch (error) {
        refuse(file, error);
        return [];
      }
    });
    await syntax.parseAhead(files.map(({ text }) => text));
    for (const file of files) {
      try {
        const query = await parse(syntax, file);
        if ('kind' in query) models.push(query);
        else if ('type' in query) events.push(query);
        else audits.push(query);
      } catch (error) {
        refuse(file, error);
      }
    }
  }
  problems.push(...checkLayering({ models, events, audits }, domains));
  if (problems.length > 0) throw new Error(`the models cannot be used:\n${problems.join('\n')}`);
  return { models: inBuildOrder(models), events, audits };
}

/** @throws Error for an unknown function or parameter */
function queryText({ text: written }: SqlFile): string {
  const text = writeExact(written).trimEnd();
  renderParameters(text, NO_TIME);
  return text;
}

interface SqlFile {
  readonly domain: string;
  readonly path: string;
  readonly text: string;
}

function sqlFiles({ id, folder }: ModelFolder): SqlFile[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name) => ({
    domain: id,
    path: `jobs/families/${basename(fileURLToPath(folder))}/${name}`,
    text: readFileSync(new URL(name, folder), 'utf8'),
  }));
}

async function parse(
  syntax: SqlSyntax,
  { domain, path, text }: SqlFile,
): Promise<Model | EventQuery | Audit> {
  const name = basename(path);
  const header = parseHeader(text);
  if (header.about === '') throw new Error('begin the file with a comment that says what a row is');
  const all = await syntax.tablesRead(text);
  const dependencies = await readDependencies(syntax, text, header.kind === 'window' ? header.time : '');
  const query = { domain, file: path, about: header.about, sql: text, ...dependencies };
  const [, type] = EVENT_FILE.exec(name) ?? [];
  if (type !== undefined) return { ...query, name: `event.${type}`, type, reads: all };
  const [, layer, table, audit] = MODEL_FILE.exec(name) ?? [];
  if (layer === undefined) {
    throw new Error(
      'name it <layer>.<table>.sql, <layer>.<table>.audit.sql (layers obs, derived, out) or event.<type>.sql',
    );
  }
  const full = `${layer}.${table}`;
  if (audit) {
    const { reaches } = header;
    return { ...query, name: `${full}.audit`, table: full, reads: all, verdict: verdictOf(header), reaches };
  }
  const readsSelf = all.includes(full);
  const reads = all.filter((other) => other !== full);
  return {
    ...query,
    ...modelFacts(header, readsSelf),
    name: full,
    layer: layer as Model['layer'],
    reads,
    readsSelf,
  };
}

function verdictOf({ verdict }: Header): Audit['verdict'] {
  if (verdict === '' || verdict === 'fail') return 'fail';
  if (verdict === 'warn') return 'warn';
  throw new Error(`its verdict is "${verdict}": write \`-- verdict: warn\`, or nothing for fail`);
}

function modelFacts(
  { kind, grain, order, time, byHour }: Header,
  readsSelf: boolean,
): Pick<Model, 'kind' | 'grain' | 'order' | 'time' | 'byHour'> {
  if (!KINDS.includes(kind as ModelKind)) {
    throw new Error(`its kind is "${kind}": add a line \`-- kind: ${KINDS.join('|')}   grain: column, …\``);
  }
  if (grain.length === 0)
    throw new Error('its grain is missing: add `grain: column, …`, the columns that identify a row');
  if (kind === 'window' && time === '')
    throw new Error('a window model needs `time: column`, the column that @start and @end delimit');
  if (byHour !== '' && kind !== 'window')
    throw new Error(
      `it has \`by_hour\`, but its kind is ${kind}: only rows of a window are replaced by the hour`,
    );
  if (readsSelf && kind !== 'window')
    throw new Error(`it reads itself, but its kind is ${kind}: only a window model may do that`);
  return { kind: kind as ModelKind, grain, order: order === '' ? grain.join(', ') : order, time, byHour };
}

// The header comment of a model.

interface Header {
  /** What one row stands for. */
  readonly about: string;
  /** `kind`, `grain`, `order`, `time`, `by_hour` as written; empty when not given. */
  readonly kind: string;
  readonly grain: readonly string[];
  readonly order: string;
  readonly time: string;
  readonly byHour: string;
  /** For an audit: `warn` or `fail`. */
  readonly verdict: string;
  /** For an audit: further `out` tables to which it applies although they do not read the audited table. */
  readonly reaches: readonly string[];
}

const FIELD =
  /\b(kind|grain|order|time|by_hour|verdict|reaches):\s*(.*?)\s*(?=\b(?:kind|grain|order|time|by_hour|verdict|reaches):|$)/g;

/** Reads the comment lines at the top of a file. */
export function parseHeader(text: string): Header {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('--')) break;
    lines.push(line.replace(/^--\s?/, '').trim());
  }
  const first = lines.findIndex((line) => /^(kind|grain|order|time|by_hour|verdict|reaches):/.test(line));
  const about = (first === -1 ? lines : lines.slice(0, first)).join(' ').trim();
  const fields = new Map<string, string>();
  for (const [, name, value] of (first === -1 ? '' : lines.slice(first).join('  ')).matchAll(FIELD)) {
    fields.set(name ?? '', (value ?? '').trim());
  }
  return {
    about,
    kind: fields.get('kind') ?? '',
    grain: namesOf(fields.get('grain')),
    order: fields.get('order') ?? '',
    time: fields.get('time') ?? '',
    byHour: fields.get('by_hour') ?? '',
    verdict: fields.get('verdict') ?? '',
    reaches: namesOf(fields.get('reaches')),
  };
}

const namesOf = (list = ''): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
