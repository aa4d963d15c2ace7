// A domain narrowed to some of its models, for worlds that need no more of it: what is not computed costs nothing.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Domain } from '../../jobs/define.ts';

/** `queries`: names of models and events, without `.sql`. No datasets, and those detectors and raw tables alone that they have. */
export function partOf(domain: Domain, queries: readonly string[]): Domain {
  const dir = mkdtempSync(join(tmpdir(), `${domain.id}-`));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  for (const name of queries)
    symlinkSync(fileURLToPath(new URL(`${name}.sql`, domain.folder)), join(dir, `${name}.sql`));
  const detectors = domain.detectors.filter(({ type }) => queries.includes(`event.${type}`));
  const raw = domain.raw.filter(({ kept }) => queries.includes(kept.model));
  return { ...domain, folder: pathToFileURL(`${dir}/`), raw, datasets: [], detectors };
}
