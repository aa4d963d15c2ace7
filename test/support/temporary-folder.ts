// Temporary folders of tests. `remove-leftovers.ts` removes them when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** Creates a temporary folder. `name` is the prefix of its name. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  folders.add(folder);
  return folder;
}

/** Removes a folder before the file ends, for tests that make many or large folders. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

export function removeTemporaryFolders(): void {
  for (const folder of folders) removeFolder(folder);
}
