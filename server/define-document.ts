// Answers that are one published document, found by its key: what most endpoints of published data do.
import type { Reply } from './define.ts';
import { Failure } from './define-failure.ts';
import type { Services } from './services.ts';

/** @throws Failure `unavailable` before the first version, `not_found` when the version has no such dataset or key. */
export function documentReply(services: Services, dataset: string, key: string): Reply {
  const version = services.versions.current;
  if (version === undefined) throw new Failure('unavailable', 'No data has been published yet.');
  const payload = version.dataset(dataset)?.documents.get(key);
  if (payload === undefined) throw new Failure('not_found', 'No data was found.');
  return { payload, identity: services.identify(payload) };
}

/** Keys of a dataset's documents; none where the version does not have it. */
export const documentKeys = (services: Services, dataset: string): Iterable<string> =>
  services.versions.current?.dataset(dataset)?.documents.keys() ?? [];
