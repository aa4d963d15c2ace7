// Retracted versions: their manifests move to a separate folder, so that a reader that holds one knows that it may go back.
import { RETRACTED_FOLDER } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { lengthOf } from './read.ts';

export const retractedManifestPath = (version: string) => `${RETRACTED_FOLDER}/${version}/manifest.json`;

export const isRetracted = async (store: ObjectStore, version: string): Promise<boolean> =>
  (await lengthOf(store, retractedManifestPath(version))) !== null;
