// Finds the files that a path or glob means: `*` and `?` inside a name, `**` for any folders, `{a,b}` for either. A leading dot must be
// written out. Sorted, so that files are read in the same order everywhere.
import { glob } from 'node:fs/promises';

const SPECIAL = /[*?{[]/;

/** Absolute paths. A path without special characters is returned as it is, whether there is a file or not. */
export async function findFiles(path: string): Promise<string[]> {
  if (!SPECIAL.test(path)) return [path];
  return (await Array.fromAsync(glob(path, { followSymlinks: true }))).sort();
}
