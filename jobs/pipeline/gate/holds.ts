// What is held back in a run: the subjects that failing audits and refused rows name, and all subjects that rest on them. The same holds
// decide what datasets publish and which events are withheld.

import type { Domain } from '../../define/domain.ts';
import { fieldsOf, type SubjectColumns, type SubjectId, type SubjectLink } from '../../define/subject.ts';
import { literal } from '../../engine/sql-text.ts';
import type { ResultSource } from '../../incremental/results.ts';
import { type Finding, MAX_ROWS } from './audit.ts';
import { kindsOf, nameOf, placingFields, type Subject, subjectIn, subjectKey } from './subjects.ts';

/** One reason to hold something back. */
export interface Hold {
  /** Null: whatever is built from the tables, because the check could not name a subject. */
  readonly subject: Subject | null;
  /** Tables of the layers in which it was found: what is built from none of them does not rest on it. */
  readonly tables: readonly string[];
  readonly domain: string;
  /** Name of the check in quality gates. */
  readonly check: string;
  /** What is wrong and what releases it. */
  readonly reason: string;
}

/** A hold with everything that rests on its subject. */
export interface Reach {
  readonly hold: Hold;
  /** Its subject first. */
  readonly subjects: readonly Subject[];
  /** The kinds of subjects that could rest on it, whether or not any does. */
  readonly kinds: readonly (readonly string[])[];
}

type DomainLinks = Pick<Domain, 'raw' | 'links' | 'datasets'> & Partial<Pick<Domain, 'id'>>;

/** At most this many subjects of one audit are held back one by one. */
const MAX_SUBJECTS = 10_000;

/** Holds of the failing audits. */
export async function holdsOfAudits(
  results: ResultSource,
  findings: readonly Finding[],
  domains: readonly DomainLinks[],
): Promise<readonly Hold[]> {
  const kinds = kindsOf(domains);
  const holds: Hold[] = [];
  for (const finding of findings) {
    if (finding.verdict === 'warn' || finding.rows.length === 0) continue;
    const { table, reaches, about, domain } = finding;
    const facts = { tables: [table, ...reaches], domain, check: about };
    const subjects = await subjectsOf(results, finding, kinds);
    if (subjects === null) holds.push({ ...facts, subject: null, reason: rowsText(finding) });
    else
      for (const subject of subjects)
        holds.push({
          ...facts,
          subject,
          reason: `${nameOf(subject)} is held back until this holds again: ${about}`,
        });
  }
  return holds;
}

const SHOWN_ROWS = 10;

const rowsText = ({ rows }: Finding): string =>
  rows
    .slice(0, SHOWN_ROWS)
    .map((row) => JSON.stringify(row))
    .join('; ');

/** Null if a row names no subject, or if there are too many. */
async function subjectsOf(
  results: ResultSource,
  { rows, sql }: Finding,
  kinds: ReturnType<typeof kindsOf>,
): Promise<readonly Subject[] | null> {
  const found = await allRows(results, { rows, sql }, kinds);
  const subjects = new Map<string, Subject>();
  for (const row of found) {
    const subject = subjectIn(kinds, row);
    if (subject === null) return null;
    subjects.set(subjectKey(subject), subject);
  }
  return found.length > MAX_SUBJECTS ? null : [...subjects.values()];
}

async function allRows(
  results: ResultSource,
  { rows, sql }: Pick<Finding, 'rows' | 'sql'>,
  kinds: ReturnType<typeof kindsOf>,
): Promise<Finding['rows']> {
  const [first] = rows;
  const subject = first === undefined ? null : subjectIn(kinds, first);
  if (rows.length < MAX_ROWS || subject === null) return rows;
  return results.rows(
    `select distinct ${[...subject.keys()].join(', ')} from (${sql}\n) limit ${MAX_SUBJECTS + 1}`,
  );
}

interface Tables {
  readonly domains: readonly DomainLinks[];
  /** Names of the tables that are computed; links of others are not followed. */
  readonly tables: ReadonlySet<string>;
}

export async function reachesOf(
  results: ResultSource,
  holds: readonly Hold[],
  { domains, tables }: Tables,
): Promise<readonly Reach[]> {
  const links = domains.flatMap(({ links: own = [] }) => own).filter((link) => isComputed(link, tables));
  const named = holds.flatMap(({ subject }) => subject ?? []);
  const resting = await restingOn(results, named, links);
  return holds.map((hold): Reach => {
    if (hold.subject === null) return { hold, subjects: [], kinds: [] };
    const applies = (link: SubjectLink) => link.domain === undefined || link.domain === hold.domain;
    return {
      hold,
      subjects: allFrom(hold.subject, resting, applies),
      kinds: kindsFrom([...hold.subject.keys()], links.filter(applies)),
    };
  });
}

const isComputed = ({ tables }: SubjectLink, computed: ReadonlySet<string>): boolean =>
  (tables.match(/\b(?:obs|derived)\.\w+/g) ?? []).every((table) => computed.has(table));

interface DependentSubject {
  readonly subject: Subject;
  readonly link: SubjectLink;
}

/** What rests on a subject, by its key. */
type RestingOn = ReadonlyMap<string, readonly DependentSubject[]>;

/** What rests on the subjects, and on what rests on them, and so on. */
async function restingOn(
  results: ResultSource,
  subjects: readonly Subject[],
  links: readonly SubjectLink[],
): Promise<RestingOn> {
  const found = new Map<string, DependentSubject[]>();
  for (let open = unknownOf(subjects, found); open.length > 0; ) {
    for (const subject of open) found.set(subjectKey(subject), []);
    const next: Subject[] = [];
    for (const link of links)
      for (const [from, subject] of await linked(results, link, open)) {
        found.get(subjectKey(from))?.push({ subject, link });
        next.push(subject);
      }
    open = unknownOf(next, found);
  }
  return found;
}

const unknownOf = (subjects: readonly Subject[], known: ReadonlyMap<string, unknown>): readonly Subject[] => [
  ...new Map(
    subjects.map((subject) => [subjectKey(subject), subject] as const).filter(([key]) => !known.has(key)),
  ).values(),
];

const CHUNK = 200;

async function linked(
  results: ResultSource,
  link: SubjectLink,
  subjects: readonly Subject[],
): Promise<readonly (readonly [from: Subject, to: Subject])[]> {
  const [of, to] = [Object.keys(link.of), Object.keys(link.to)];
  const able = subjects.filter((subject) => of.every((field) => subject.has(field)));
  const byValues = Map.groupBy(able, (subject) => JSON.stringify(of.map((field) => subject.get(field))));
  const pairs: (readonly [Subject, Subject])[] = [];
  const values = [...byValues.keys()];
  for (let start = 0; start < values.length; start += CHUNK) {
    const rows = await results.rows(linkSql(link, values.slice(start, start + CHUNK)));
    for (const row of rows) {
      const subject = new Map(to.map((field, index) => [field, String(row[`t${index}`])]));
      const own = JSON.stringify(of.map((_, index) => row[`o${index}`]));
      for (const from of byValues.get(own) ?? []) pairs.push([from, subject]);
    }
  }
  return pairs;
}

/** `values`: lists of the values of the fields that the link starts from, as JSON. */
function linkSql({ tables, of, to }: SubjectLink, values: readonly string[]): string {
  const names = (prefix: string, columns: SubjectColumns) =>
    Object.values(columns).map((_, index) => `${prefix}${index}`);
  const as = (prefix: string, columns: SubjectColumns) =>
    Object.values(columns).map((column, index) => `cast(${column} as varchar) as ${prefix}${index}`);
  const is = values.map((one) => {
    const own = JSON.parse(one) as readonly string[];
    return `(${own.map((value, index) => `o${index} = ${literal(value)}`).join(' and ')})`;
  });
  const all = [...names('o', of), ...names('t', to)].join(', ');
  const known = names('t', to).map((name) => `${name} is not null`);
  return `select distinct ${all} from (select ${[...as('o', of), ...as('t', to)].join(', ')} from ${tables}) linked
    where (${is.join(' or ')}) and ${known.join(' and ')} order by ${all}`;
}

function allFrom(
  subject: Subject,
  resting: RestingOn,
  applies: (link: SubjectLink) => boolean,
): readonly Subject[] {
  const found = new Map([[subjectKey(subject), subject]]);
  const open = [subject];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { subject: one, link } of resting.get(subjectKey(next)) ?? []) {
      if (!applies(link) || found.has(subjectKey(one))) continue;
      found.set(subjectKey(one), one);
      open.push(one);
    }
  return [...found.values()];
}

function kindsFrom(kind: readonly string[], links: readonly SubjectLink[]): readonly (readonly string[])[] {
  const found = new Map([[kind.join(' '), kind]]);
  const open = [kind];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { of, to } of links) {
      const from = next;
      const fields = Object.keys(to);
      if (!Object.keys(of).every((field) => from.includes(field)) || found.has(fields.join(' '))) continue;
      found.set(fields.join(' '), fields);
      open.push(fields);
    }
  return [...found.values()];
}

/** Whether any of the kinds is shown by the columns of a dataset. */
export const isShown = (columns: SubjectColumns, { kinds }: Reach): boolean =>
  kinds.some((kind) => placingFields(columns, kind) !== null);

/** Whether any of the kinds has an id of this form. */
export const isIdentified = (ids: readonly SubjectId[], { kinds }: Reach): boolean =>
  kinds.some((kind) => ids.some((id) => fieldsOf(id).every((field) => kind.includes(field))));
