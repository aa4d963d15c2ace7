// The filters of a feed. A name that nothing has is refused: a feed of it would stay empty, and look as if nothing had happened.

import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { ownMember } from '../../platform/base/own-member.ts';
import { SEVERITIES } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { isSubject, refuseOthers, SUBJECT_KINDS } from '../define/filter-values.ts';
import { missingDocument } from '../define/missing-data.ts';
import { namesIn } from '../define/parameters.ts';
import type { LogView } from '../replies/event-log-view.ts';
import { eventNames, requireKnownNames } from '../replies/known-names.ts';
import type { Services } from '../services.ts';

const LISTS = ['severity', 'type', 'protocol', 'chain'] as const;
type ListName = (typeof LISTS)[number];

export type FeedQuery = { readonly [name in ListName | 'subject']?: string | undefined };

export interface FeedFilters extends Readonly<Record<ListName, ReadonlySet<string> | undefined>> {
  readonly subject: string | undefined;
}

/** The part of the log that a feed is about, and the version that says what exists. */
export interface FeedScope {
  readonly view: LogView;
  readonly manifest: Manifest;
}

/**
 * @throws Failure `validation_failed` for a name that no event can have, `not_found` for an unknown subject, `unavailable` if that cannot be
 * said
 */
export async function feedFilters(
  services: Services,
  query: FeedQuery,
  { view, manifest }: FeedScope,
): Promise<FeedFilters> {
  const given = (name: ListName) => namesIn(name, query[name]);
  const filters = {
    severity: given('severity'),
    type: given('type'),
    protocol: given('protocol'),
    chain: given('chain'),
    subject: query.subject === undefined ? undefined : foldAddresses(query.subject),
  };
  refuseOthers('severity', filters.severity, SEVERITIES);
  refuseOthers('type', filters.type, EVENT_TYPES);
  const context = { services, view, manifest };
  await requireKnownNames(services, eventNames(filters), { manifest, upTo: view.upTo });
  if (filters.subject !== undefined) await refuseUnknownSubject(filters.subject, context);
  return filters;
}

interface Context extends FeedScope {
  readonly services: Services;
}

const WHOLE_LOG = { from: 0, to: Number.POSITIVE_INFINITY, isNewestFirst: true, limit: 1 };

/** Where the subjects of a kind are published: the dataset, the key of its document, and the endpoint that lists them. */
const REGISTRIES: Readonly<
  Record<string, (parts: readonly string[]) => readonly [dataset: string, key: string, list: string]>
> = {
  peg: ([chain, ...name]) => ['pegs', `${chain}|${name.join(':')}`, '/v2/pegs'],
  oracle: ([chain, feed]) => ['feeds', `${chain}|${feed}`, '/v2/feeds'],
  liquidity: ([chain, ...market]) => [
    'lending-markets',
    `${chain}|${market.join(':')}`,
    '/v2/lending/markets',
  ],
  vault: ([chain, address]) => ['lending-vaults', `${chain}|${address}`, '/v2/datasets/lending-vaults'],
  risk: (parts) => ['yield-opportunities', parts.slice(0, -1).join(':'), '/v2/yield/opportunities'],
};
const REGIME = 'vault:global';

/** A subject exists if an event or a published row is about it. What is held back or not yet published is not unknown. */
async function refuseUnknownSubject(
  subject: string,
  { services, view: { upTo }, manifest }: Context,
): Promise<void> {
  if (subject === REGIME) return;
  const found = await services.replay.search({ ...WHOLE_LOG, names: {}, subject }, { upTo });
  if (found.events.length > 0) return;
  const [kind = '', ...parts] = subject.split(':');
  const registry = ownMember(REGISTRIES, kind)?.(parts);
  if (registry === undefined) {
    if (!isSubject(subject))
      throw parameterFailure('subject', `begins with none of ${SUBJECT_KINDS.join(', ')}, and a colon`);
    throw unknown(subject, 'no event is about it');
  }
  const [dataset, key, list] = registry;
  const loaded = await services.versions.datasetOf(dataset, manifest);
  if (loaded?.documents.get(key) !== undefined) return;
  const failure = missingDocument({ manifest }, dataset, key);
  if (failure.code === 'unavailable') throw failure;
  throw unknown(
    subject,
    `no event and no row of ${dataset} is about it; \`GET ${list}\` lists what there is`,
  );
}

const unknown = (subject: string, why: string): Failure =>
  new Failure('not_found', `There is no subject ${JSON.stringify(subject)}: ${why}.`);
