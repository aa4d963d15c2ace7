// `npm run live:smoke`: one reading of every real source that needs no key. It needs internet access and is not part of CI. Prints what
// each returned, how many rows were good, and how its shape differs from the last accepted reading in the data folder. Flags are those of
// the jobs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { liveSources } from '../../jobs/sources/live/fetch/configured.ts';
import { SHIPPED_SOURCES } from '../../jobs/sources/live/shipped/shipped.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const EXIT_CHANGED = 4;

const sources = liveSources(SHIPPED_SOURCES);
const isKeyless = (id: string) => (sources.find((source) => source.id === id)?.needs ?? []).length === 0;
const failed: string[] = [];
const changed: string[] = [];

for (const { id, is_on, fetched_by } of sources) {
  if (!is_on || !isKeyless(fetched_by)) continue;
  const args = ['jobs/main.ts', 'sources', 'check', id, '--profile', 'live', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code === EXIT_CHANGED) changed.push(id);
  else if (code !== 0) failed.push(id);
}
console.log(
  `failed: ${failed.join(', ') || 'none'}; changed or with refused rows: ${changed.join(', ') || 'none'}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
