// How far versions have been collected. Distinguishes a version that was removed on purpose from one that was lost.
import { join } from 'node:path';
import { canonicalJson } from './canonical.ts';
import { type Disk, isMissing } from './disk.ts';
import { type Placement, putFile } from './durable.ts';
import { DamagedFileError } from './errors.ts';
import { COLLECTED_FILE } from './layout.ts';
import { isUlid } from './ulid.ts';

const textOf = (through: string) => `${canonicalJson({ through })}\n`;

/** The newest version ever collected; null when there is none. Throws DamagedFileError. */
export async function collectedThrough(disk: Disk, dir: string): Promise<string | null> {
  const file = join(dir, COLLECTED_FILE);
  try {
    const text = (await disk.read(file)).toString('utf8');
    const through = text.slice('{"through":"'.length, -'"}\n'.length);
    if (isUlid(through) && text === textOf(through)) return through;
    throw new DamagedFileError({
      file,
      expected: 'the newest version that was collected',
      actual: 'other text',
      advice: 'The next collection rewrites it.',
    });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Called before versions are removed: a crash in between leaves versions that could have been removed. */
export async function noteCollected(place: Placement, versions: readonly string[]): Promise<void> {
  const newest = versions.toSorted().at(-1);
  if (newest === undefined) return;
  const known = await knownOrNull(place);
  if (known === null || known < newest) await putFile(place, COLLECTED_FILE, [Buffer.from(textOf(newest))]);
}

async function knownOrNull({ disk, dir }: Placement): Promise<string | null> {
  try {
    return await collectedThrough(disk, dir);
  } catch (error) {
    if (error instanceof DamagedFileError) return null;
    throw error;
  }
}
