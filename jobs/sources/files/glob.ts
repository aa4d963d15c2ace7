// Finds the files that match a path or glob: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. A leading dot must be
// written explicitly. Sorted, so that files are read in the same order everywhere.
import { glob } from 'node:fs/promises';

const SPECIAL = /[*?{[]/;

/** Absolute paths. A path without special characters is returned unchanged, whether or not the file exists. */
export async function findFiles(path: string): Promise<string[]> {
  if (!SPECIAL.test(path)) return [path];
  return (await Array.fromAsync(glob(path, { followSymlinks: true }))).sort();
}
