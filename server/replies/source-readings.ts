// The state of fetched sources in a loaded version.
import type { SourceReading } from '../../schemas/sources.ts';
import type { LoadedVersion } from '../define/services.ts';

export const SOURCE_READINGS = 'source-readings';

const known = new WeakMap<LoadedVersion, readonly SourceReading[]>();

/** Ordered by id; empty if nothing is fetched. */
export function sourceReadings(version: LoadedVersion | undefined): readonly SourceReading[] {
  if (version === undefined) return [];
  const parsed = known.get(version);
  if (parsed !== undefined) return parsed;
  const documents = version.dataset(SOURCE_READINGS)?.documents;
  const readings =
    documents === undefined
      ? []
      : [...documents.keys()].sort().flatMap((key) => {
          const document = documents.get(key);
          return document === undefined ? [] : [JSON.parse(document.toString()) as SourceReading];
        });
  known.set(version, readings);
  return readings;
}
