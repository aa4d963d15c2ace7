// Temporary folders of tests. They are removed when the test file ends; `remove-leftovers.ts` sees to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** Creates a folder of its own. `name`: what its name begins with. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  folders.add(folder);
  return folder;
}

/** Removes one before the file ends: for tests that make many or large ones. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

export function removeTemporaryFolders(): void {
  for (const folder of folders) removeFolder(folder);
}
