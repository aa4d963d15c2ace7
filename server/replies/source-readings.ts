// The state of fetched sources in a loaded version.
import { oncePer } from '../../platform/base/once-per.ts';
import type { SourceReading } from '../../schemas/sources.ts';
import type { LoadedVersion } from '../services.ts';

export const SOURCE_READINGS = 'source-readings';

/** Ordered by id; empty if nothing is fetched. */
export const sourceReadings = (version: LoadedVersion | undefined): readonly SourceReading[] =>
  version === undefined ? [] : readingsIn(version);

const readingsIn = oncePer((version: LoadedVersion): readonly SourceReading[] => {
  const documents = version.dataset(SOURCE_READINGS)?.documents;
  if (documents === undefined) return [];
  return [...documents.keys()].sort().flatMap((key) => {
    const document = documents.get(key);
    return document === undefined ? [] : [JSON.parse(document.toString()) as SourceReading];
  });
});
