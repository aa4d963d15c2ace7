// The demo world, computed and published by the whole pipeline, and a server over it with a key that may do everything.
import { join } from 'node:path';
import { runOnce } from '../../jobs/commands/work.ts';
import { World } from '../server/published-world.ts';
import { inWorld, testFolder } from '../support/pipeline-world.ts';

export interface Served {
  readonly url: string;
  readonly key: string;
  remove(): Promise<void>;
}

const NOW_SECONDS = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const FLAGS = ['--demo-days', '9'];

export async function servedWorld(): Promise<Served> {
  const folder = testFolder();
  await inWorld(folder.dir, { now: NOW_SECONDS, flags: FLAGS }, (world) => runOnce(world, null));
  const world = new World(join(folder.dir, 'snapshots'));
  world.nowMs = NOW_SECONDS * 1000;
  const key = await world.key('enterprise');
  const { url } = await world.serve({ anonymousPlan: null });
  return {
    url,
    key,
    async remove() {
      await world.remove();
      folder.remove();
    },
  };
}
