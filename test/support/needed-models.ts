// Domains narrowed to what some datasets and events need: a run computes and publishes these as ever, and nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import type { Dataset } from '../../jobs/define/dataset.ts';
import { deliveryGapTable } from '../../jobs/define/delivery-gaps.ts';
import { type Domain, policyTablesOf } from '../../jobs/define/domain.ts';
import { domains as everything } from '../../jobs/registry.ts';
import { linkedFolder } from './linked-folder.ts';

export interface Needs {
  /** Ids. */
  readonly datasets?: readonly string[];
  /** Beginnings of event types, for example `oracle.` or `mev.spike`. */
  readonly events?: readonly string[];
  /** Models that are to be there as well. */
  readonly tables?: readonly string[];
}

/**
 * What those datasets, their series, those detectors and the audits that reach any of their tables read, directly or not. Domains of which
 * nothing is left are left out; the others keep their order.
 */
export function neededFor(
  { datasets = [], events = [], tables = [] }: Needs,
  domains: readonly Domain[] = everything,
): readonly Domain[] {
  const queries = domains.flatMap(queriesOf);
  const isDetected = (type: string) => events.some((beginning) => type.startsWith(beginning));
  const isEvent = ({ name }: QueryText) =>
    name.startsWith('event.') && isDetected(name.slice('event.'.length));
  const all = domains.flatMap((domain) => domain.datasets);
  const roots = [
    ...tables,
    ...datasets.flatMap((id) => tablesOf(found(id, (one) => one.id === id, all))),
    ...queries.filter(isEvent).flatMap(({ reads }) => reads),
  ];
  for (const table of tables) found(table, ({ name }) => name === table, queries);
  const needed = closure(queries, roots);
  return domains.flatMap((domain): readonly Domain[] => {
    const own = queriesOf(domain).filter((query) => isEvent(query) || needed.has(tableOf(query)));
    const hasPolicy = policyTablesOf([domain]).some(
      (table) => table !== deliveryGapTable && needed.has(`policy.${table.name}`),
    );
    if (own.length === 0 && !hasPolicy) return [];
    const files = own.map(({ name }) => `${name}.sql`);
    return [
      {
        ...domain,
        folder: linkedFolder(domain, files),
        raw: domain.raw.filter(({ observations }) => needed.has(observations.model)),
        datasets: domain.datasets.filter(({ id }) => datasets.includes(id)),
        detectors: domain.detectors.filter(({ type }) => isDetected(type)),
      },
    ];
  });
}

function found<T>(name: string, is: (one: T) => boolean, list: readonly T[]): T {
  const one = list.find(is);
  if (one === undefined) throw new Error(`these domains have no ${name}`);
  return one;
}

/** Tables that publication reads for a dataset. */
const tablesOf = ({ table, series }: Dataset): readonly string[] =>
  [table, series?.table, series?.gaps].filter((name) => name !== undefined);

/** The tables, all that their models and audits read, and the tables whose audits reach them. */
function closure(queries: readonly QueryText[], roots: readonly string[]): ReadonlySet<string> {
  const byTable = Map.groupBy(queries, tableOf);
  const audits = Map.groupBy(
    queries.flatMap((query) => query.reaches.map((table) => ({ table, of: tableOf(query) }))),
    ({ table }) => table,
  );
  const found = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(byTable.get(name) ?? []).flatMap(({ reads }) => reads));
    open.push(...(audits.get(name) ?? []).map(({ of }) => of));
  }
  return found;
}

interface QueryText {
  /** That of its file, without `.sql`. */
  readonly name: string;
  /** Tables that it names. */
  readonly reads: readonly string[];
  /** Tables that it judges without reading them, if it is an audit. */
  readonly reaches: readonly string[];
}

/** The table that it makes or audits. */
const tableOf = ({ name }: QueryText): string => name.replace(/\.audit$/, '');

const TABLE = /\b(?:obs|derived|out|policy)\.\w+/g;

const byFolder = new Map<string, readonly QueryText[]>();

/** Read once in each worker. */
function queriesOf({ folder }: Domain): readonly QueryText[] {
  const known = byFolder.get(folder.href);
  if (known !== undefined) return known;
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const queries = files.map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    return {
      name: file.slice(0, -'.sql'.length),
      reads: text.replaceAll(/--.*$/gm, '').match(TABLE) ?? [],
      reaches: /\breaches:(.*)$/m.exec(text)?.[1]?.match(TABLE) ?? [],
    };
  });
  byFolder.set(folder.href, queries);
  return queries;
}
