// One seed of the simulation: two job hosts that take turns, one or two servers, receivers and stream clients over one disk, one store, one
// network and one clock. Any call may fail, hang, be torn or be the last of its process; at the end everything is repaired, and what was
// acknowledged, delivered and published is compared with a run without any fault.
import { makeSealer } from '../../../server/store/seal.ts';
import type { OpsTables } from '../../../server/store/store.ts';
import { secretBinding } from '../../../server/store/webhook-store.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { ACTOR, keyRecord } from '../../server/store/store-fixture.ts';
import { webhookRecord } from '../../server/store/webhook-records.ts';
import { type DiskFlaws, Media, systemError } from './disk.ts';
import { checkEnd, Ledger, type FaultlessRun, perfectOf } from './invariants.ts';
import { type JobsFlaws, type JobsWorld, runJobs } from './jobs-host.ts';
import { SimulatedLeases } from './leases.ts';
import { Receivers } from './receivers.ts';
import { type Life, Scheduler } from './scheduler.ts';
import { Script, T0, TYPE } from './script.ts';
import { type Server, startServer } from './server-host.ts';
import { type StoreFlaws, SimulatedStore } from './store.ts';
import { type ClientFlaws, StreamClient } from './stream-client.ts';

export interface Flaws extends DiskFlaws, StoreFlaws, JobsFlaws, ClientFlaws {}

export interface SeedResult {
  readonly seed: number;
  /** Empty if everything held. */
  readonly violations: readonly string[];
  /** Hash of everything that happened. */
  readonly trace: string;
  readonly turns: number;
  readonly faults: Readonly<Record<string, number>>;
}

const TICKS = 6;
/** Turns with faults, and turns in which everything must be repaired afterwards. */
const FAULTY_TURNS = { least: 400, most: 2_400 };
const REPAIR_TURNS = 40_000;
/** Turns in which nothing may happen again after everything has arrived. */
const QUIET_TURNS = 200;
const MAX_JUMP_MS = 3 * 3_600_000;
const RECEIVERS = ['wh_1', 'wh_2'];

/** Shares of calls and turns that go wrong; each seed has its own mixture. */
interface Rates {
  readonly diskErrors: number;
  readonly cuts: number;
  readonly badAnswers: number;
  readonly lockedStore: number;
  readonly kills: number;
  readonly powerFailures: number;
  readonly pauses: number;
  readonly jumps: number;
}

export async function runSeed(seed: number, flaws: Flaws = {}): Promise<SeedResult> {
  const perfect = await perfectOf(seed, TICKS);
  const scheduler = new Scheduler(seed);
  const restore = scheduler.takeOver();
  const world = new SimulatedInstallation({ seed, scheduler, flaws, perfect });
  try {
    await world.run();
  } catch (error) {
    world.violation(`stuck or broken: ${String(error)}`);
  } finally {
    world.close();
    restore();
  }
  return {
    seed,
    violations: world.violations,
    trace: scheduler.trace(),
    turns: scheduler.turns,
    faults: Object.fromEntries([...world.faults].sort()),
  };
}

interface InstallationOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly flaws: Flaws;
  readonly perfect: FaultlessRun;
}

class SimulatedInstallation {
  readonly violations: string[] = [];
  readonly faults = new Map<string, number>();
  readonly #scheduler: Scheduler;
  readonly #flaws: Flaws;
  readonly #script: Script;
  readonly #media: Media;
  readonly #store: SimulatedStore;
  readonly #leases: SimulatedLeases;
  readonly #receivers: Receivers;
  readonly #ledger: Ledger;
  readonly #rates: Rates;
  readonly #perfect: FaultlessRun;
  readonly #sealer;
  readonly #lives = new Map<string, Life>();
  readonly #clients: StreamClient[] = [];
  readonly #servers = new Map<string, Server>();
  #jumpMs = 0;
  #isFaulty = true;

  constructor({ seed, scheduler, flaws, perfect }: InstallationOptions) {
    this.#perfect = perfect;
    this.#scheduler = scheduler;
    this.#flaws = flaws;
    this.#script = new Script(seed, TICKS);
    this.#media = new Media(scheduler, flaws);
    this.#store = new SimulatedStore(scheduler, flaws);
    this.#leases = new SimulatedLeases(scheduler);
    this.#ledger = new Ledger(this.#script, perfect, (text) => this.violation(text));
    this.#rates = this.#mixture();
    this.#sealer = makeSealer(new Uint8Array(32).fill(1), (count) =>
      Uint8Array.from({ length: count }, () => Math.floor(scheduler.random() * 256)),
    );
    this.#receivers = new Receivers({
      scheduler,
      store: this.#store,
      wallMs: this.#wallMs,
      isFailing: () => this.#strikes('bad answer', this.#rates.badAnswers),
      violation: (text) => this.violation(text),
    });
  }

  violation(text: string): void {
    if (this.violations.length < 10)
      this.violations.push(`${text}\nlast calls:\n${this.#scheduler.lastCalls()}`);
  }

  close(): void {
    this.#store.close();
  }

  async run(): Promise<void> {
    const runUntil = (isDone: () => boolean, max: number) => this.#scheduler.runUntil(isDone, max);
    await this.#subscribe();
    const programs: (() => void)[] = [() => this.#startJobs('jobs-a'), () => this.#startServer('server-a')];
    programs.push(() => this.#startJobs('jobs-b'));
    if (this.#scheduler.chance(0.5)) programs.push(() => this.#startServer('server-b'));
    for (const start of programs) start();
    for (const name of ['client-a', 'client-b']) this.#clients.push(this.#client(name));
    this.#scheduler.onTurn = () => this.#disturb();
    const { least, most } = FAULTY_TURNS;
    const end = least + this.#scheduler.random() * (most - least);
    await runUntil(() => this.#scheduler.turns >= end, most + 1);
    this.#isFaulty = false;
    for (const life of this.#lives.values()) life.isPaused = false;
    this.#jumpMs = MAX_JUMP_MS;
    const isDone = () => this.violations.length > 0 || this.#isRepaired();
    await runUntil(isDone, REPAIR_TURNS).catch((error: unknown) => {
      throw new Error(`waits for ${this.#ledger.awaited(this.#state())}`, { cause: error });
    });
    const quietUntil = this.#scheduler.turns + QUIET_TURNS;
    await runUntil(() => this.#scheduler.turns >= quietUntil, QUIET_TURNS + 1);
    await checkEnd(this.#ledger, this.#perfect, this.#state());
  }

  #state() {
    return {
      media: this.#media,
      scheduler: this.#scheduler,
      receivers: RECEIVERS.map((id) => this.#receivers.accepted.get(id) ?? new Map<string, number>()),
      streams: this.#clients.map(({ ids }) => ids),
    };
  }

  #isRepaired(): boolean {
    // Retries that wait for minutes are due at once.
    if (this.#scheduler.turns % 2_000 === 0) this.#jumpMs += 600_000;
    return this.#ledger.awaited(this.#state()) === '';
  }

  #mixture(): Rates {
    const { random, chance } = this.#scheduler;
    const some = (most: number) => (chance(0.6) ? random() * most : 0);
    return {
      diskErrors: some(0.01),
      cuts: some(0.3),
      badAnswers: some(0.7),
      lockedStore: some(0.05),
      kills: some(0.01),
      powerFailures: some(0.004),
      pauses: some(0.015),
      jumps: some(0.005),
    };
  }

  #strikes(name: string, rate: number): boolean {
    if (!this.#isFaulty || !this.#scheduler.chance(rate)) return false;
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    return true;
  }

  #wallMs = (): number => T0 + 86_400_000 + Math.floor(this.#scheduler.nowMs) + this.#jumpMs;

  /** What happens from outside, at any turn. */
  #disturb(): void {
    if (!this.#isFaulty) return;
    const { scheduler, rates } = { scheduler: this.#scheduler, rates: this.#rates };
    if (this.#strikes('power failure', rates.powerFailures)) this.#powerFailure();
    const programs = [...this.#lives.values()].filter(({ isAlive }) => isAlive);
    if (this.#strikes('kill', rates.kills)) this.#kill(scheduler.pick(programs));
    if (this.#strikes('pause', rates.pauses)) this.#pause(scheduler.pick(programs));
    if (this.#strikes('clock jump', rates.jumps))
      this.#jumpMs = Math.round((scheduler.random() * 2 - 1) * MAX_JUMP_MS);
  }

  #powerFailure(): void {
    this.#scheduler.note('power failure');
    for (const life of this.#lives.values()) if (life.isAlive) this.#kill(life);
    this.#media.powerFailure();
    this.#store.powerFailure();
  }

  #kill(life: Life | undefined): void {
    if (life === undefined) return;
    this.#scheduler.note(`${life.name} ends`);
    life.isAlive = false;
    this.#servers.delete(life.name);
    const delay = 500 + this.#scheduler.random() * 4_000;
    const start = life.name.startsWith('jobs') ? this.#startJobs : this.#startServer;
    this.#scheduler.after(OUTSIDE, delay, () => start(life.name));
  }

  /** Only job hosts, for longer than a lease. */
  #pause(life: Life | undefined): void {
    if (life === undefined || !life.name.startsWith('jobs')) return;
    this.#scheduler.note(`${life.name} stands still`);
    life.isPaused = true;
    this.#scheduler.after(OUTSIDE, 3_000 + this.#scheduler.random() * 12_000, () => {
      life.isPaused = false;
    });
  }

  #newLife(name: string): Life {
    const life = { name, isAlive: true, isPaused: false };
    this.#lives.set(name, life);
    return life;
  }

  #diskFor(life: Life) {
    return this.#media.diskOf(life, (isWrite) => {
      const rate = isWrite ? this.#rates.diskErrors : this.#rates.diskErrors / 4;
      if (!this.#strikes('disk error', rate)) return undefined;
      return isWrite && this.#scheduler.chance(0.5) ? 'ENOSPC' : 'EIO';
    });
  }

  #startJobs = (name: string): void => {
    const life = this.#newLife(name);
    const scheduler = this.#scheduler;
    const world: JobsWorld = {
      script: this.#script,
      disk: this.#diskFor(life),
      lease: this.#leases.take,
      wait: (ms) => scheduler.wait(life, ms),
      wallMs: this.#wallMs,
      fetchRow: (feed, tick) =>
        scheduler.call(life, `fetch ${feed} ${tick}`, () => {
          if (this.#strikes('cut fetch', this.#rates.cuts)) throw systemError('ECONNRESET', feed);
          return this.#script.rowOf(feed, tick);
        }),
      chance: scheduler.chance,
      landed: (row) => life.isAlive && this.#ledger.landed(row),
      appended: (ids) => life.isAlive && this.#ledger.appended(ids),
      published: (tick) => life.isAlive && this.#ledger.published(tick),
      found: (rows) => life.isAlive && this.#ledger.found(rows),
      opened: (lastEventId) => life.isAlive && this.#ledger.opened(lastEventId),
      completed: () => this.#ledger.completed(),
      failed: (error) => life.isAlive && this.violation(`${name}: ${String(error)}`),
      flaws: this.#flaws,
    };
    void runJobs(life, world);
  };

  #startServer = (name: string): void => {
    const life = this.#newLife(name);
    const isRefused = () => this.#strikes('locked store', this.#rates.lockedStore);
    const watch = this.#ledger.reader(name);
    const server = startServer(life, {
      scheduler: this.#scheduler,
      disk: this.#diskFor(life),
      tables: this.#store.tablesFor(life, this.#sealer, isRefused),
      sealer: this.#sealer,
      wallMs: this.#wallMs,
      sender: this.#receivers.senderFor(life),
      onVersion: watch,
    });
    this.#servers.set(name, server);
  };

  #client(name: string): StreamClient {
    const life = { name, isAlive: true, isPaused: false };
    return new StreamClient(life, {
      scheduler: this.#scheduler,
      servers: () => [...this.#servers.values()],
      isCut: () => this.#strikes('cut stream', this.#rates.cuts / 3),
      flaws: this.#flaws,
    });
  }

  /** Subscribes to everything from the start of the log on, and reads from an empty disk. */
  async #subscribe(): Promise<void> {
    const setup = { name: 'setup', isAlive: true, isPaused: false };
    const disk = this.#media.diskOf(setup, () => undefined);
    let isReady = false;
    const tables = this.#store.tablesFor(setup, this.#sealer, () => false);
    const prepare = async () => {
      await disk.mkdir('/data');
      await disk.syncFolder('/');
      await this.#addWebhooks(tables);
      isReady = true;
    };
    void prepare();
    await this.#scheduler.runUntil(() => isReady, 1_000);
    setup.isAlive = false;
  }

  async #addWebhooks({ keys, webhooks, deliveries }: OpsTables): Promise<void> {
    await keys.create(keyRecord({ id: 'key_simulation' }), ACTOR);
    for (const id of RECEIVERS) {
      const secret = makeSecret((bytes) => Buffer.alloc(bytes, id));
      const secrets = [{ sealed: this.#sealer.seal(Buffer.from(secret), secretBinding(id)), ends_ms: null }];
      await webhooks.create(webhookRecord({ id, events: [TYPE], secrets }), ACTOR);
    }
    await deliveries.enqueue({ cursor: '', revision: await webhooks.revision() }, []);
    // Synced: later failures of the power do not undo the setup.
    await keys.create(keyRecord({ id: 'key_synced' }), ACTOR);
  }
}

/** What happens to the machines from outside. */
const OUTSIDE: Life = { name: 'outside', isAlive: true, isPaused: false };
