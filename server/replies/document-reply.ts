// Replies with one published document by key. Used by most endpoints of published data.
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { Reply } from '../define/endpoint.ts';
import { missingDocument, servedVersion } from '../define/missing-data.ts';
import type { Services } from '../services.ts';

/** @throws Failure `unavailable` for what is not there yet or held back, `not_found` for an unknown key. */
export function documentReply(services: Services, dataset: string, key: string): Reply {
  const loaded = services.versions.current?.dataset(dataset);
  const payload = loaded?.documents.get(key);
  if (loaded === undefined || payload === undefined)
    throw missingDocument(servedVersion(services), dataset, key);
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
