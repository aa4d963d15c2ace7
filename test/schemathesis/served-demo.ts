// The demo data, computed and published by the whole pipeline, and a server over it with a key that has every scope.
import { join } from 'node:path';
import { runOnce } from '../../jobs/commands/work.ts';
import { ServerFixture } from '../server/server-fixture.ts';
import { inWorld, testFolder } from '../support/pipeline-world.ts';

export interface Served {
  readonly url: string;
  readonly key: string;
  remove(): Promise<void>;
}

const NOW_SECONDS = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FLAGS = ['--demo-days', '9'];

export async function servedDemo(): Promise<Served> {
  const folder = testFolder();
  await inWorld(folder.dir, { now: NOW_SECONDS, flags: FLAGS }, (world) => runOnce(world, null));
  const fixture = new ServerFixture(join(folder.dir, 'snapshots'));
  fixture.nowMs = NOW_SECONDS * 1000;
  const key = await fixture.key('enterprise');
  const { url } = await fixture.serve({ anonymousPlan: null });
  return {
    url,
    key,
    async remove() {
      await fixture.remove();
      folder.remove();
    },
  };
}
