// A folder with some of the queries of a domain, for worlds that need no more of it: what is not computed costs nothing.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Domain } from '../../jobs/define/domain.ts';
import { runFolder } from './run-folder.ts';

/** A folder with those files of the domain's own; the same for the same files, so that what is known of its models is known once. */
export function linkedFolder(domain: Domain, files: readonly string[]): URL {
  const sources = files.map((name) => fileURLToPath(new URL(name, domain.folder)));
  const hash = createHash('sha256').update(sources.toSorted().join('\n')).digest('hex').slice(0, 12);
  const folder = join(runFolder(), `${domain.id}-${hash}`);
  if (!existsSync(folder)) link(sources, folder);
  return pathToFileURL(`${folder}/`);
}

function link(sources: readonly string[], folder: string): void {
  const unfinished = mkdtempSync(`${folder}-`);
  for (const source of sources) symlinkSync(source, join(unfinished, source.slice(source.lastIndexOf('/'))));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another worker made it meanwhile.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
