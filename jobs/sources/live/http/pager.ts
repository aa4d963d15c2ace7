// Pagers: which page is next, and when there is none. A pager ends only by its named rule. A repeated page, a cursor that does not move and
// the cap on pages are errors, because each of them looks like an end and would lose rows.
import type { Clock, PagerRules } from '../fetch/live-source.ts';
import { destinationOf } from './exchange.ts';
import { NetFault } from './net-fault.ts';
import type { Values } from './template.ts';
import { valueAt } from './value-at.ts';

export interface ReceivedPage {
  readonly records: readonly unknown[];
  readonly document: unknown;
  readonly headers: { readonly [name: string]: string };
  readonly url: string;
  readonly sha256: string;
}

/** The values that fill in the next request, or its full address. */
export interface NextPage {
  readonly values: Values;
  readonly url?: string;
}

export interface Pager {
  readonly first: NextPage;
  /** The page after this one; null at the end. @throws NetFault `pager` */
  after(page: ReceivedPage): NextPage | null;
  /** The rule that ended paging, in words. */
  readonly ended: string | null;
}

export interface PagerStart {
  /** Where an ascending keyset starts. */
  readonly key: string;
  /** Rows older than this, Unix seconds, are not wanted. */
  readonly since: number;
  /** Rows later than this, Unix seconds, are not wanted. */
  readonly until: number;
}

type Rule<K extends PagerRules['kind']> = Extract<PagerRules, { readonly kind: K }>;

const wrong = (what: string, todo = 'Check the pager of the source'): NetFault =>
  new NetFault('pager', what, { todo });

export function openPager(rules: PagerRules, start: PagerStart): Pager {
  if (rules.kind === 'none') return { first: { values: {} }, after: () => null, ended: 'one page' };
  const steps = stepsOf(rules, start);
  const seen = new Set<string>();
  let ended: string | null = null;
  return {
    first: steps.first,
    get ended() {
      return ended;
    },
    after(page) {
      if (seen.has(page.sha256) && page.records.length > 0)
        throw wrong(`page ${seen.size + 1} repeats an earlier page: paging has no effect.`);
      seen.add(page.sha256);
      const next = steps.after(page, seen.size);
      if (typeof next === 'string') {
        ended = next;
        return null;
      }
      if (seen.size >= rules.max_pages)
        throw wrong(
          `there are more than ${rules.max_pages} pages.`,
          'Raise max_pages, or shorten the window',
        );
      return next;
    },
  };
}

interface Steps {
  readonly first: NextPage;
  /** The next page, or the rule that makes this page the last. `number` counts from 1. */
  after(page: ReceivedPage, number: number): NextPage | string;
}

function stepsOf(rules: Exclude<PagerRules, Rule<'none'>>, start: PagerStart): Steps {
  switch (rules.kind) {
    case 'page':
      return pageSteps(rules);
    case 'offset':
      return offsetSteps(rules);
    case 'cursor':
      return cursorSteps(rules);
    case 'keyset':
      if (rules.order === 'asc') return ascendingSteps(rules, start);
      return rules.clock === undefined
        ? descendingSteps(rules, start)
        : countingDown(rules.field, rules.clock, start);
    case 'link':
      return { first: { values: {} }, after: (page) => linkAfter(page) };
  }
}

function pageSteps({ first, size }: Rule<'page'>): Steps {
  const at = (number: number): NextPage => ({ values: { page: String(number) } });
  return {
    first: at(first),
    after({ records }, number) {
      if (records.length === 0) return 'an empty page';
      return size !== undefined && records.length < size ? 'a short page' : at(first + number);
    },
  };
}

function offsetSteps({ size, total }: Rule<'offset'>): Steps {
  const at = (offset: number): NextPage => ({ values: { offset: String(offset), limit: String(size) } });
  let offset = 0;
  return {
    first: at(0),
    after({ records, document }) {
      offset += records.length;
      const wanted = total === undefined ? undefined : Number(valueAt(document, total));
      if (wanted !== undefined && !Number.isFinite(wanted)) throw wrong(`there is no number at "${total}".`);
      if (wanted !== undefined && offset >= wanted) return 'the total is reached';
      if (wanted !== undefined && records.length === 0)
        throw wrong(`the pages end after ${offset} of ${wanted} records.`);
      return wanted === undefined && records.length < size ? 'a short page' : at(offset);
    },
  };
}

function cursorSteps({ next }: Rule<'cursor'>): Steps {
  const known = new Set<string>(['']);
  return {
    first: { values: { cursor: '' } },
    after({ document }) {
      const cursor = valueAt(document, next);
      if (cursor === undefined || cursor === null || cursor === '' || cursor === false)
        return 'no further cursor';
      if (known.has(String(cursor))) throw wrong(`the cursor ${String(cursor)} was already used.`);
      known.add(String(cursor));
      return { values: { cursor: String(cursor) } };
    },
  };
}

const keyOf = (record: unknown, field: string): string => {
  const key = valueAt(record, field);
  if (typeof key !== 'string' && typeof key !== 'number') throw wrong(`a record has no "${field}".`);
  return String(key);
};

function ascendingSteps({ field, size, clock }: Rule<'keyset'>, start: PagerStart): Steps {
  let key = clock === undefined ? start.key : stepAt(clock, start.since);
  return {
    first: { values: { key } },
    after({ records }) {
      if (records.length === 0) return 'an empty page';
      const last = keyOf(records.at(-1), field);
      if (size !== undefined && records.length < size) return 'a short page';
      if (last === key)
        throw wrong(`a whole page has the same ${field}, ${last}: the rows after it cannot be reached.`);
      key = last;
      return { values: { key } };
    },
  };
}

/** A server may repeat the record of the given key: a page with only that one is the end. More known records mean that paging fails. */
function descendingSteps({ field, time }: Rule<'keyset'>, start: PagerStart): Steps {
  const known = new Set<string>();
  return {
    first: { values: { key: '' } },
    after({ records }) {
      if (records.length === 0) return 'an empty page';
      const fresh = records.filter((record) => !known.has(keyOf(record, field)));
      if (fresh.length === 0 && records.length > 1) throw wrong('a page has no new records.');
      if (fresh.length === 0) return 'a page without new records';
      for (const record of fresh) known.add(keyOf(record, field));
      const last = fresh.at(-1);
      if (time !== undefined && secondsOf(valueAt(last, time)) < start.since) return 'older than the window';
      return { values: { key: keyOf(last, field) } };
    },
  };
}

const stepAt = ({ starts_at, step_s }: Clock, at: number): string =>
  String(Math.max(0, Math.floor((at - starts_at) / step_s)));

/** A page may be in any order; only its lowest key counts. */
function countingDown(field: string, clock: Clock, start: PagerStart): Steps {
  let lowest = stepAt(clock, start.until);
  const isReached = () => clock.starts_at + Number(lowest) * clock.step_s < start.since;
  return {
    first: { values: { key: lowest } },
    after({ records }, number) {
      const steps = records.map((record) => Number(keyOf(record, field)));
      if (!steps.every(Number.isSafeInteger)) throw wrong(`a "${field}" is not a whole number.`);
      const next = Math.min(...steps);
      if (records.length === 0 || (number > 1 && next >= Number(lowest)))
        throw wrong(
          `the pages end at ${field} ${lowest}, before the window does.`,
          'Read again later. If this persists, the source has no older rows: shorten `history`',
        );
      lowest = String(next);
      return isReached() ? 'older than the window' : { values: { key: lowest } };
    },
  };
}

/** ISO 8601, or a number of seconds or milliseconds. */
function secondsOf(value: unknown): number {
  const number = Number(value);
  const seconds = Number.isFinite(number)
    ? number > 1e11
      ? number / 1000
      : number
    : Date.parse(String(value)) / 1000;
  if (!Number.isFinite(seconds)) throw wrong(`"${String(value)}" is not a time.`);
  return seconds;
}

function linkAfter({ headers, url }: ReceivedPage): NextPage | string {
  const next = linksIn(headers['link'] ?? '').find(({ relations }) => relations.includes('next'));
  if (next === undefined) return 'no further link';
  const { url: to, isTrusted } = destinationOf(next.target, url, 'pager');
  if (!isTrusted) throw wrong(`the next link leads to another host, ${to.host}.`);
  return { values: {}, url: to.href };
}

interface Link {
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
}

/** The links of a `Link` header (RFC 8288), in one pass over its text. */
function linksIn(header: string): readonly Link[] {
  const links: Link[] = [];
  for (let start = header.indexOf('<'); start !== -1; ) {
    const end = header.indexOf('>', start);
    if (end === -1) break;
    const next = header.indexOf('<', end);
    const parameters = header.slice(end + 1, next === -1 ? undefined : next).split(/[;,]/);
    const relations = parameters.flatMap((one) => {
      const [name = '', value = ''] = one.split('=', 2).map((part) => part.trim());
      return name.toLowerCase() === 'rel' ? value.replaceAll('"', '').toLowerCase().split(/\s+/) : [];
    });
    links.push({ target: header.slice(start + 1, end), relations });
    start = next;
  }
  return links;
}
