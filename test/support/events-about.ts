// The event domain narrowed to some types, for worlds that do not watch every family: a detector needs the tables it reads.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Domain } from '../../jobs/define.ts';
import { events } from '../../jobs/events/domain.ts';

/** Types that begin with one of these, for example `oracle.` or `mev.spike`. */
export function eventsAbout(...beginnings: readonly string[]): Domain {
  const detectors = events.detectors.filter(({ type }) =>
    beginnings.some((beginning) => type.startsWith(beginning)),
  );
  const dir = mkdtempSync(join(tmpdir(), 'events-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  for (const { type } of detectors) {
    const file = `event.${type}.sql`;
    symlinkSync(fileURLToPath(new URL(file, events.folder)), join(dir, file));
  }
  return { ...events, folder: pathToFileURL(`${dir}/`), detectors, datasets: [] };
}
