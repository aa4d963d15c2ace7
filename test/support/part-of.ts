// A domain narrowed to some of its models, for worlds that need no more of it: what is not computed costs nothing.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Domain } from '../../jobs/define.ts';

const folders: string[] = [];
process.once('exit', () => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

/** `queries`: names of models and events, without `.sql`. No datasets, and those detectors and raw tables alone that they have. */
export function partOf(domain: Domain, queries: readonly string[]): Domain {
  const folder = linkedFolder(
    domain,
    queries.map((name) => `${name}.sql`),
  );
  const detectors = domain.detectors.filter(({ type }) => queries.includes(`event.${type}`));
  const raw = domain.raw.filter(({ kept }) => queries.includes(kept.model));
  return { ...domain, folder, raw, datasets: [], detectors };
}

/** A folder with those files of the domain's own. */
export function linkedFolder(domain: Domain, files: readonly string[]): URL {
  const dir = mkdtempSync(join(tmpdir(), `${domain.id}-`));
  folders.push(dir);
  for (const name of files) symlinkSync(fileURLToPath(new URL(name, domain.folder)), join(dir, name));
  return pathToFileURL(`${dir}/`);
}
