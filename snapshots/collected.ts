// Records what was collected: up to which version, and which older versions are still kept. Distinguishes a version that was removed on
// purpose from one that was lost.
import { canonicalJson } from '../platform/storage/canonical.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import { COLLECTED_FILE } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { isUlid } from '../platform/base/ulid.ts';

export interface CollectedNote {
  /** The newest version ever collected. */
  readonly through: string;
  /** Older versions that are kept, oldest first. */
  readonly kept: readonly string[];
}

const textOf = ({ through, kept }: CollectedNote): string => `${canonicalJson({ kept, through })}\n`;
/** The form of earlier releases, which kept no version older than a collected one. */
const textWithoutKept = ({ through }: CollectedNote): string => `${canonicalJson({ through })}\n`;

/** Null when nothing was ever collected. Throws DamagedFileError. */
export async function readCollected(store: ObjectStore): Promise<CollectedNote | null> {
  const text = (await store.get(COLLECTED_FILE))?.toString('utf8');
  if (text === undefined) return null;
  const note = parsed(text);
  if (note !== null && (text === textOf(note) || text === textWithoutKept(note))) return note;
  throw new DamagedFileError({
    file: store.nameOf(COLLECTED_FILE),
    expected: 'the newest version that was collected, and older ones that are kept',
    actual: 'other text',
    advice: 'The next collection rewrites it.',
  });
}

function parsed(text: string): CollectedNote | null {
  try {
    const { through, kept = [] } = (JSON.parse(text) ?? {}) as Partial<CollectedNote>;
    if (through === undefined || !isUlid(through)) return null;
    return Array.isArray(kept) && kept.every(isUlid) ? { through, kept } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Called before versions are removed: a crash in between leaves versions that could have been removed. */
export async function noteCollected(
  store: ObjectStore,
  { gone, kept }: { readonly gone: readonly string[]; readonly kept: readonly string[] },
): Promise<void> {
  const newest = gone.toSorted().at(-1);
  if (newest === undefined) return;
  const known = (await knownOrNull(store))?.through ?? newest;
  const through = known < newest ? newest : known;
  const note = { through, kept: kept.filter((version) => version < through).sort() };
  await store.put(COLLECTED_FILE, [Buffer.from(textOf(note))]);
}

async function knownOrNull(store: ObjectStore): Promise<CollectedNote | null> {
  try {
    return await readCollected(store);
  } catch (error) {
    if (error instanceof DamagedFileError) return null;
    throw error;
  }
}
