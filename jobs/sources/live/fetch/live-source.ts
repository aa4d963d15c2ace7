// A fetched source as the rest of the folder uses it: its section with all defaults filled in.
import type { FieldMapping, SourceFacts, Where } from '../../../define/source.ts';
import { secretsIn, type Values } from '../http/template.ts';
import type { GuardSection, LiveSection, PagerSection, RequestSection } from './section.ts';

/** How the pages of a reading follow each other. */
export type PagerRules =
  | { readonly kind: 'none' }
  /** `{page}`; ends with an empty page or, with `size`, a short one. */
  | { readonly kind: 'page'; readonly first: number; readonly size?: number; readonly max_pages: number }
  /** `{offset}` and `{limit}`; ends with a short page, or at the total in the document. */
  | { readonly kind: 'offset'; readonly size: number; readonly total?: string; readonly max_pages: number }
  /** `{cursor}`; ends when the document has none. */
  | { readonly kind: 'cursor'; readonly next: string; readonly max_pages: number }
  /**
   * `{key}`, the last value of a field by which rows are ordered. Ascending, it starts at the window and ends with a short page.
   * Descending, it ends at the first row older than the window, or with a page that has nothing new. A field that counts steps of a
   * clock is itself a time: both orders start at the window, and descending pages that end before the start of the window are an error.
   */
  | {
      readonly kind: 'keyset';
      readonly field: string;
      readonly order: 'asc' | 'desc';
      readonly size?: number;
      readonly time?: string;
      readonly clock?: Clock;
      readonly max_pages: number;
    }
  /** Follows the `Link` header's `next`. */
  | { readonly kind: 'link'; readonly max_pages: number };

/** What a field counts: steps of equal length since an instant, Unix seconds. */
export interface Clock {
  readonly starts_at: number;
  readonly step_s: number;
}

/** A field may also take a fact of the recording. */
export type LiveMapping = FieldMapping & { readonly recording?: string };

export interface WindowRules {
  readonly history_s: number;
  readonly step_s: number;
  readonly overlap_s: number;
  readonly lag_s: number;
  /** How much further its newest data may fall behind the clock than in the last reading, seconds; 0 if it is never behind. */
  readonly tail_s: number;
}

export interface GuardRules {
  readonly min_records: number;
  readonly min_share: number;
  readonly present: readonly string[];
  /** Fields that about as many records must have as before. */
  readonly counted: readonly string[];
  readonly max_zero_share: { readonly [field: string]: number };
  readonly max_same: number | null;
  readonly max_bytes: number;
  /** Of all bodies of a reading, after decoding. */
  readonly max_total_bytes: number;
  /** Of all bodies of a reading. */
  readonly max_values: number;
}

export interface Partition {
  /** Unique in its source; empty if it is the only one. */
  readonly key: string;
  readonly params: Values;
}

/** A stretch of time, Unix seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Window extends Span {
  readonly partition: Partition;
  readonly urgency: 'tip' | 'history';
}

/** How the records of a recording become rows of a table. */
export interface LiveMappingOf {
  readonly format: 'json' | 'ndjson' | 'csv';
  readonly records: string | null;
  readonly delimiter: string | null;
  readonly has_entries: boolean;
  readonly columns: string | null;
  readonly where: Where | null;
  readonly fields: { readonly [field: string]: LiveMapping };
}

export interface LiveSource {
  readonly id: string;
  readonly table: string;
  readonly facts: SourceFacts;
  /** The source that fetches; itself unless it maps the recordings of another source. */
  readonly fetched_by: string;
  readonly request: RequestSection | null;
  readonly every_s: number;
  readonly partitions: readonly Partition[];
  readonly pager: PagerRules;
  /** Null if each reading shows the present. */
  readonly window: WindowRules | null;
  readonly guards: GuardRules;
  readonly mapping: LiveMappingOf;
  /** How other sources map its recordings. */
  readonly other_mappings: readonly LiveMappingOf[];
  readonly timeout_ms: number;
  readonly is_redistributable: boolean;
  readonly is_on: boolean;
  /** Environment variables without which it cannot be fetched. */
  readonly needs: readonly string[];
  readonly expects: { readonly subjects?: readonly string[]; readonly since?: number } | null;
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DEFAULT_MAX_BYTES = 100_000_000;
const DEFAULT_MAX_TOTAL_BYTES = 250_000_000;
const DEFAULT_MAX_VALUES = 4_000_000;
const DEFAULT_MAX_PAGES = 1_000;

/** Seconds of `30s`, `5m`, `1h` or `1d`; the section's pattern admits nothing else. */
export const secondsOf = (duration: string): number =>
  Number(duration.slice(0, -1)) * UNIT_SECONDS[duration.slice(-1) as keyof typeof UNIT_SECONDS];

/** `section` has passed `problemsOfLiveSources`. */
export function liveSourceOf(id: string, section: LiveSection): LiveSource {
  const { table, request = null, every = '1h' } = section;
  return {
    id,
    table,
    facts: factsOf(id, section),
    fetched_by: section.recordings_of ?? id,
    request,
    every_s: secondsOf(every),
    partitions: partitionsOf(section.each),
    pager: pagerOf(section.pager),
    window: windowOf(section),
    guards: guardsOf(section.guards, section.window !== undefined),
    mapping: mappingOf(section),
    other_mappings: [],
    timeout_ms: secondsOf(request?.timeout ?? '30s') * 1000,
    is_redistributable: section.redistributable ?? true,
    is_on: section.is_on ?? true,
    needs: secretsIn(request),
    expects: expectsOf(section.expects),
  };
}

function factsOf(id: string, section: LiveSection): SourceFacts {
  const {
    request,
    name,
    url,
    license = null,
    chain = null,
    attribution,
    terms_url,
    redistributable,
  } = section;
  const isGraph = request?.graphql !== undefined;
  const origin = request !== undefined && URL.canParse(request.url) ? new URL(request.url).origin : null;
  return {
    id,
    kind:
      request?.json_rpc !== undefined || request?.chain !== undefined || request?.near !== undefined
        ? 'onchain'
        : isGraph
          ? 'subgraph'
          : 'api',
    name,
    url: url ?? origin,
    license,
    chain,
    ...(attribution === undefined ? {} : { attribution }),
    ...(terms_url === undefined ? {} : { terms_url }),
    redistributable: redistributable ?? true,
  };
}

const expectsOf = (expects: LiveSection['expects']): LiveSource['expects'] =>
  expects === undefined
    ? null
    : {
        ...(expects.subjects === undefined ? {} : { subjects: expects.subjects }),
        ...(expects.since === undefined ? {} : { since: Date.parse(expects.since) / 1000 }),
      };

function partitionsOf(each: LiveSection['each']): readonly Partition[] {
  if (each === undefined) return [{ key: '', params: {} }];
  return each.map((params) => ({ key: Object.values(params).join(' '), params }));
}

function pagerOf(pager: PagerSection | undefined): PagerRules {
  if (pager === undefined || pager.kind === 'none') return { kind: 'none' };
  const max_pages = pager.max_pages ?? DEFAULT_MAX_PAGES;
  return pager.kind === 'page' ? { ...pager, first: pager.first ?? 1, max_pages } : { ...pager, max_pages };
}

/** Finality takes 13 to 19 minutes on Ethereum; elsewhere it may take longer, which shows after the first reading. */
const FINALITY_S = 1_800;

const windowOf = ({ window, request }: LiveSection): WindowRules | null =>
  window === undefined
    ? null
    : {
        history_s: secondsOf(window.history),
        step_s: secondsOf(window.step),
        overlap_s: secondsOf(window.overlap ?? '1h'),
        lag_s: window.lag === undefined ? 0 : secondsOf(window.lag),
        tail_s: request?.chain === undefined ? 0 : FINALITY_S,
      };

/** A window of time may be empty. A reading of the present may not, unless the source's guards allow it. */
const guardsOf = (guards: GuardSection = {}, isWindowed: boolean): GuardRules => ({
  min_records: guards.min_records ?? (isWindowed ? 0 : 1),
  min_share: guards.min_share ?? 0.5,
  present: guards.present ?? [],
  counted: guards.counted ?? [],
  max_zero_share: guards.max_zero_share ?? {},
  max_same: guards.max_same ?? null,
  max_bytes: guards.max_bytes ?? DEFAULT_MAX_BYTES,
  max_total_bytes: guards.max_total_bytes ?? Math.max(DEFAULT_MAX_TOTAL_BYTES, guards.max_bytes ?? 0),
  max_values: guards.max_values ?? DEFAULT_MAX_VALUES,
});

const mappingOf = (section: LiveSection): LiveMappingOf => ({
  format: section.format ?? 'json',
  records: section.records ?? null,
  delimiter: section.delimiter ?? null,
  has_entries: section.entries ?? false,
  columns: section.columns ?? null,
  where: section.where ?? null,
  fields: Object.fromEntries(
    Object.entries(section.fields as { readonly [field: string]: string | LiveMapping }).map(
      ([field, mapping]) => [field, typeof mapping === 'string' ? { from: mapping } : mapping],
    ),
  ),
});
