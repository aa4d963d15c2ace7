// The part of the event log that a caller sees: by plan, and by version (decision 71).
import { DAY_MS } from '../../platform/base/time.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Caller } from '../define/caller.ts';
import { Failure } from '../define/failure.ts';
import type { FilterValue } from '../define/filter-values.ts';
import { nothingPublished } from '../define/missing-data.ts';
import type { Services } from '../services.ts';

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The part of the log that a caller sees. */
export interface LogView {
  /** Event times, Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** The last visible event; undefined for the newest one. */
  readonly upTo: string | undefined;
  /** The version that the view belongs to; undefined for the newest. */
  readonly manifest: Manifest | undefined;
  readonly window_days: number;
  readonly delay_seconds: number;
}

/** The logical time of the log. @throws Failure `unavailable` before the first version, or before its log is read */
export function logTimeMs({ replay, versions }: Pick<Services, 'replay' | 'versions'>): number {
  if (replay.asOfMs !== undefined) return replay.asOfMs;
  throw versions.current === undefined
    ? nothingPublished()
    : new Failure('unavailable', 'The event log has not been read yet.');
}

/** @throws Failure `unavailable` before the log is read, `not_found` if no version from that time is kept. */
export async function viewOf(
  services: Services,
  caller: Caller,
  as_of: string | undefined,
): Promise<LogView> {
  const hasReplay = caller.limits.replay_window_days > 0 && isInScope(caller);
  return hasReplay
    ? viewWithin(services, { window_days: caller.limits.replay_window_days, delay_seconds: 0 }, as_of)
    : openView(services, as_of);
}

/** What callers without a key see. @throws Failure like `viewOf` */
export const openView = (services: Services, as_of: string | undefined): Promise<LogView> =>
  viewWithin(services, LIMITS.open_events, as_of);

async function viewWithin(
  services: Services,
  { window_days, delay_seconds }: Pick<LogView, 'window_days' | 'delay_seconds'>,
  as_of: string | undefined,
): Promise<LogView> {
  const asOfMs = logTimeMs(services);
  const manifest = as_of === undefined ? undefined : await services.datasets.manifestAt({ as_of });
  const nowMs = manifest === undefined ? asOfMs : Date.parse(manifest.as_of);
  return {
    // From the newest data, whatever version is asked for: the past of a version is not wider than the plan's (decision 82).
    from: (asOfMs - window_days * DAY_MS) / 1000,
    // The view is measured by the data's clock, so a stopped publisher hides nothing more.
    to: nowMs / 1000 - delay_seconds,
    upTo: manifest === undefined ? undefined : (manifest.events.last_event_id ?? ''),
    manifest,
    window_days,
    delay_seconds,
  };
}

/** Whether the log is read up to a version: only then does an event that is not found not exist. */
export const isReadUpTo = ({ replay }: Pick<Services, 'replay'>, { events }: Manifest): boolean =>
  (replay.lastId ?? '') >= (events.last_event_id ?? '');

/** The subject that a parameter names, if no event in the view is about it: it may be mistyped. */
export async function unmatchedSubject(
  { replay }: Services,
  {
    parameter,
    value,
    view,
  }: {
    readonly parameter: string;
    readonly value: string | undefined;
    readonly view: Partial<Pick<LogView, 'from' | 'to' | 'upTo'>>;
  },
): Promise<readonly FilterValue[]> {
  if (value === undefined) return [];
  const { from = 0, to = Number.POSITIVE_INFINITY, upTo } = view;
  const isFound = await replay.has({ subject: value, from, to }, { upTo });
  return isFound ? [] : [{ parameter, facet: 'subject', value }];
}

const isInScope = ({ key }: Caller): boolean => key === undefined || key.scopes.includes('events:read');

/** @throws Failure `not_found` for an event that is not in the log or that the caller may not see. */
export async function visibleEvent(services: Services, id: string, view: LogView): Promise<Buffer> {
  const name = id.toUpperCase();
  const bytes =
    ULID.test(name) && name <= (view.upTo ?? name) ? await services.replay.envelope(name) : undefined;
  if (bytes === undefined) throw new Failure('not_found', 'There is no event with this id.');
  const second = Date.parse((JSON.parse(bytes.toString()) as { ts: string }).ts) / 1000;
  if ((second >= view.from && second <= view.to) || isOfCondition(services, name)) return bytes;
  throw new Failure(
    'not_found',
    `Your plan does not include this event: it covers ${view.window_days} days of the log.`,
  );
}

/** Events of current conditions are open to all, however long ago they began. */
function isOfCondition({ versions }: Services, id: string): boolean {
  const documents = versions.current?.dataset('conditions')?.documents;
  if (documents === undefined) return false;
  return [...documents.keys()].some((key) => documents.get(key)?.includes(`"event_id":"${id}"`));
}
