// The jobs themselves are killed while they append, and the server while it delivers and streams: at the end all channels have the log of
// jobs that ran undisturbed. At release counts; channels-kill.test.ts does the same with a small appender at every landing.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeTime } from 'ulid';
import { afterEach, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { COUNTS } from '../reliability/counts.ts';
import { endProcess } from '../support/end-process.ts';
import { fixedDemoFolder, STARTED, startJobs } from '../support/fixed-demo.ts';
import { publishedEvents } from '../support/pipeline-world.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { expectAgreement } from './agreement.ts';
import { KilledService } from './killed-channels.ts';

const DAY = 86_400;
const FROM = STARTED - 2 * DAY;
const WALK = ['backfill', '--from', String(FROM), '--to', String(STARTED), '--step', '6h'];
/** No process has appended anything before this share of a whole walk. */
const QUIET_SHARE = 0.15;

let service: KilledService | undefined;
afterEach(() => service?.end());

/** Milliseconds it took. */
async function runJobs(dir: string): Promise<number> {
  const startMs = performance.now();
  expect(await once(startJobs(dir, WALK), 'exit')).toEqual([0, null]);
  return performance.now() - startMs;
}

async function killAllTheTime(dir: string, wholeMs: number, { startServer, stopServer }: KilledServer) {
  const roll = seededRandom(17);
  for (let kill = 1; kill <= COUNTS.channelJobKills; kill++) {
    await startServer();
    const jobs = startJobs(dir, WALK);
    const ms = wholeMs * (QUIET_SHARE + roll() * (1 - QUIET_SHARE));
    await Promise.race([wait(ms, undefined, { ref: false }), once(jobs, 'exit')]);
    const isServerToo = kill % 2 === 0;
    await Promise.all([endProcess(jobs, 'SIGKILL'), isServerToo ? stopServer() : undefined]);
  }
  await startServer();
}

interface KilledServer {
  readonly startServer: () => Promise<void>;
  readonly stopServer: () => Promise<void>;
}

test.skipIf(COUNTS.channelJobKills === 0)(
  `${COUNTS.channelJobKills} kills of jobs, every second of the server too, leave all channels with the whole log`,
  { timeout: 7_200_000 },
  async () => {
    const [undisturbed, dir] = [fixedDemoFolder(), fixedDemoFolder()];
    const wholeMs = await runJobs(undisturbed);
    const killed = await KilledService.create(join(dir, 'snapshots'), EVENT_TYPES);
    service = killed;
    const since = encodeTime((FROM - DAY) * 1_000) + '0'.repeat(16);
    const client = killed.connect({ since });
    killed.connect({ since, type: 'oracle.stale' });
    await killAllTheTime(dir, wholeMs, {
      startServer: () => killed.startServer(),
      stopServer: () => killed.stopServer('SIGKILL'),
    });
    await runJobs(dir);
    const log = await killed.log();
    expect(log.map(({ key }) => key)).toEqual(publishedEvents(undisturbed).map(({ key }) => key));
    await expectAgreement(killed, log, since);
    console.info({ kills: COUNTS.channelJobKills, events: log.length, returns: client.returns });
  },
);
