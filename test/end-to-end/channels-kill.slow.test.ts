// The server and who appends events are killed at any moment, while events are delivered, streamed and appended: at the end the log,
// replay, the stream and webhooks have the same events in the same bytes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { ServerFixture } from '../server/server-fixture.ts';
import { endProcess } from '../support/end-process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { expectAgreement, idOf } from './agreement.ts';
import { KilledService } from './killed-channels.ts';

const APPENDER = new URL('./appender.ts', import.meta.url).pathname;
const EVENTS_A_KILL = 40;
const MAX_DELAY_MS = 25;

let fixture: ServerFixture;
let service: KilledService;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  service = await KilledService.create(fixture.dir, ['oracle.stale', 'oracle.feed.invalid']);
});
afterEach(async () => {
  await service.end();
  await fixture.remove();
});

/** One process that appends until the log has `total` events, and what it has said is published. */
class Appender {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  publications = 0;
  acknowledged = 0;

  constructor(total: number) {
    this.child = spawn(process.execPath, [APPENDER, fixture.dir, String(total)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exit = once(this.child, 'exit');
    if (this.child.stdout === null) throw new Error('the appender has no output');
    createInterface(this.child.stdout).on('line', (line) => {
      this.publications++;
      this.acknowledged = Number(line);
    });
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

/** Some publications after its start and some milliseconds later: in an append, in a publication, or between. */
async function killAppender(appender: Appender, roll: () => number): Promise<void> {
  const publications = Math.floor(roll() * 5);
  while (appender.publications < publications && !appender.isOver) await wait(1);
  await wait(roll() * MAX_DELAY_MS);
  await endProcess(appender.child, 'SIGKILL');
}

/** Some posts and frames later, of those that the new events of a round bring at least; at once when `isEnough`. */
async function killServer(roll: () => number, isEnough: () => boolean): Promise<void> {
  const until = service.progress + 1 + Math.floor(roll() * EVENTS_A_KILL * 2);
  while (service.progress < until && !isEnough()) await wait(1);
  await service.stopServer('SIGKILL');
}

async function killAllTheTime(kills: number): Promise<number> {
  const roll = seededRandom(61);
  let acknowledged = 0;
  for (let kill = 1; kill <= kills; kill++) {
    await service.startServer();
    const appender = new Appender(kill * EVENTS_A_KILL);
    const victims = kill % 3;
    if (victims === 1) await killServer(roll, () => false);
    else if (victims === 2) await killAppender(appender, roll);
    else await Promise.all([killAppender(appender, roll), killServer(roll, () => appender.isOver)]);
    if (victims === 1) expect(await appender.exit).toEqual([0, null]);
    acknowledged = Math.max(acknowledged, appender.acknowledged);
  }
  return acknowledged;
}

test(`${COUNTS.channelKills} kills of the server and of who appends leave all channels with the log, byte for byte`, {
  timeout: 7_200_000,
}, async () => {
  expect(await new Appender(1).exit).toEqual([0, null]);
  const [first] = await service.log();
  const since = idOf(first?.envelope);
  const whole = service.connect({ since });
  service.connect({ since, type: 'oracle.stale' });
  const acknowledged = await killAllTheTime(COUNTS.channelKills);
  expect(await new Appender(COUNTS.channelKills * EVENTS_A_KILL).exit).toEqual([0, null]);
  await service.startServer();
  const log = await service.log();
  expect(log.length).toBeGreaterThanOrEqual(acknowledged);
  expect(log.map(({ key }) => key)).toEqual(log.map((_, n) => `test|${n}`));
  await expectAgreement(service, log, since);
  console.info({ kills: COUNTS.channelKills, events: log.length, returns: whole.returns });
});
