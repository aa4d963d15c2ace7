// Retracted versions: their manifests move to a separate folder, so that a reader that holds one knows that it may go back.
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { RETRACTED_FOLDER } from './layout.ts';
import { lengthOf } from './read.ts';

export const retractedManifestPath = (version: string) => `${RETRACTED_FOLDER}/${version}/manifest.json`;

export const isRetracted = async (disk: Disk, dir: string, version: string): Promise<boolean> =>
  (await lengthOf(disk, join(dir, retractedManifestPath(version)))) !== null;
