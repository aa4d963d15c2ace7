// Replies with one published document by key. Used by most endpoints of published data.
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { Reply } from './endpoint.ts';
import { Failure } from './failure.ts';
import type { Services } from './services.ts';

/** @throws Failure `unavailable` before the first version, `not_found` if the version has no such dataset or key. */
export function documentReply(services: Services, dataset: string, key: string): Reply {
  const version = services.versions.current;
  if (version === undefined) throw new Failure('unavailable', 'No data has been published yet.');
  const loaded = version.dataset(dataset);
  const payload = loaded?.documents.get(key);
  if (loaded === undefined || payload === undefined) throw new Failure('not_found', 'No data was found.');
  const partialDay = partialDayOf(loaded.entry, key);
  return { payload, identity: services.identify(payload), partialDay };
}

function partialDayOf({ partial_day }: DatasetEntry, key: string): string | undefined {
  const isMarked = partial_day?.keys === undefined || partial_day.keys.includes(key);
  return isMarked ? partial_day?.day : undefined;
}

/** The same reply with the freshness, sources and gate of its dataset, for the version 2 envelope. */
export function aboutDocumentReply(services: Services, dataset: string, key: string): Reply {
  const { payload, partialDay } = documentReply(services, dataset, key);
  const version = services.versions.current;
  const about = version?.dataset(dataset)?.entry;
  const identity = services.identify(`${version?.version} ${key}`);
  return about === undefined ? { payload, identity } : { payload, about, identity, partialDay };
}

/** Keys of a dataset's documents; none if the version does not have it. */
export const documentKeys = (services: Services, dataset: string): Iterable<string> =>
  services.versions.current?.dataset(dataset)?.documents.keys() ?? [];
