// Why data that was asked for is not there: not yet computed, held back, or not read, which is temporary (503), or unknown (404). Nothing
// that is missing only for now is answered as if it did not exist. Whether a part of something known, such as the oracle of a market, will ever
// be read depends on the sources of the installation: that is 404, and the reason says so.

import { ownMember } from '../../platform/base/own-member.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import { isUnsourced, NO_SOURCE } from '../../schemas/provenance.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { familyOf, heldDataset, heldSubject } from '../../snapshots/verdict.ts';
import type { LoadedDataset, LoadedVersion, Services } from '../services.ts';
import { type Details, Failure } from './failure.ts';

/** Seconds after which a reader may find the first version, or the datasets that follow it. */
const SOON_S = 10;
/** Seconds after which a reader may find that something has been released or read: data changes with a tick. */
const NEXT_TICK_S = 300;

const NOTHING = 'No data was found.';

/** Nothing has been published yet. */
export const nothingPublished = (): Failure =>
  temporarily('No data has been published yet.', { reason: 'not_yet_published' }, SOON_S);

/** The served version. @throws Failure `unavailable` before the first one */
export function currentVersion({ versions }: Pick<Services, 'versions'>): LoadedVersion {
  if (versions.current === undefined) throw nothingPublished();
  return versions.current;
}

/** Where something is missing: a version, or undefined before the first one. */
export interface ServedVersion {
  readonly manifest: Manifest;
  /** Selected by time: what it lacks does not follow. */
  readonly isPast?: boolean | undefined;
  /** Its rows, where they are at hand. */
  dataset?(id: string): Pick<LoadedDataset, 'documents'> | undefined;
}

/** The served version, or the one that `as_of` selects. */
export const servedVersion = ({ versions }: Pick<Services, 'versions'>): ServedVersion | undefined =>
  versions.current;

/** The failure for a dataset that a version does not have. */
export function missingDataset(served: ServedVersion | undefined, dataset: string): Failure {
  if (served === undefined) return nothingPublished();
  const { manifest, isPast } = served;
  const held = heldDataset(manifest, dataset);
  if (held !== undefined)
    return temporarily(sentence(held.message), { reason: 'held_back', dataset }, NEXT_TICK_S);
  if (isPast === true) return new Failure('not_found', `The version of that time has no ${dataset}.`);
  const message = `${dataset} has not been computed yet; it follows with one of the next versions.`;
  return temporarily(message, { reason: 'not_yet_published', dataset }, SOON_S);
}

/** The failure for a document, or a part of one, that a version does not have. `key`: its key, or its name. */
export function missingDocument(served: ServedVersion | undefined, dataset: string, key: string): Failure {
  const entry = served?.manifest.datasets[dataset];
  if (served === undefined || entry === undefined) return missingDataset(served, dataset);
  const held = heldSubject(served.manifest, dataset, key.split(KEY_SEPARATORS));
  if (held !== undefined) {
    const details = { reason: 'held_back', dataset, subject: held.subject };
    return temporarily(sentence(held.message), details, NEXT_TICK_S);
  }
  if (isUnsourced(entry)) return new Failure('not_found', `${NOTHING} For ${dataset}, ${NO_SOURCE}.`);
  const unread = entry.documents === 0 ? unreadFamily(served, dataset) : undefined;
  return unread ?? unreadPart(served, dataset, key) ?? new Failure('not_found', NOTHING);
}

/** The same where the rows of the version are not at hand. */
export async function missingIn(
  { versions }: Pick<Services, 'versions'>,
  served: ServedVersion,
  { dataset, key }: { readonly dataset: string; readonly key: string },
): Promise<Failure> {
  const part = ownMember(PARTS, dataset);
  const list = part && (await versions.datasetOf(part.list, served.manifest));
  return missingDocument(
    { ...served, dataset: (id) => (id === part?.list ? list : undefined) },
    dataset,
    key,
  );
}

interface Part {
  /** The dataset that lists what has such a part, under the same key. */
  readonly list: string;
  readonly message: string;
}

/** What is read of something that a registry lists before it. */
const PARTS: Readonly<Record<string, Part>> = {
  'vault-holdings': {
    list: 'vaults',
    message: 'The vault is known, but what it holds was never read.',
  },
  'oracle-paths': { list: 'lending-markets', message: 'The market is known, but its oracle was never read.' },
  'exit-inputs': { list: 'lending-markets', message: 'The market is known, but its state was never read.' },
};

function unreadPart(served: ServedVersion, dataset: string, key: string): Failure | undefined {
  const part = ownMember(PARTS, dataset);
  // Ids of markets are joined by colons in some datasets.
  const listed = part && served.dataset?.(part.list)?.documents.get(key.replace(':', '|'));
  if (part === undefined || listed === undefined) return undefined;
  return new Failure('not_found', part.message, { details: { reason: 'not_read', dataset } });
}

/** Between the columns of a key, as datasets declare them. */
const KEY_SEPARATORS = /[|/ ]/;

/** An empty dataset whose sources have not been read says nothing about what exists. */
function unreadFamily({ manifest, isPast }: ServedVersion, dataset: string): Failure | undefined {
  const family = familyOf(manifest, dataset);
  if (family?.state !== 'unknown' || isPast === true) return undefined;
  return temporarily(family.message, { reason: 'not_read', dataset }, NEXT_TICK_S);
}

const sentence = (text: string): string => text.replace(/\.?$/, '.');

const temporarily = (message: string, details: Details, retryAfterS: number): Failure =>
  new Failure('unavailable', message, { details, headers: ['Retry-After', `${retryAfterS}`] });

/** Asks callers to retry while a published file is damaged. @throws Failure `unavailable` for damage; other errors unchanged */
export function refuseUnreadable(cause: unknown): never {
  if (!(cause instanceof DamagedFileError)) throw cause;
  throw new Failure('unavailable', 'The published file cannot be read.', { cause });
}
