// Problems of the ops store, as `/v1/status` reports them: whether it takes changes, and whether it is what the service wrote. They are
// worded without names of files or keys.
import type { Notice } from '../services.ts';
import { type OpsStore, StoreUnavailableError } from '../store/store.ts';
import type { KeyRing } from './key-ring.ts';

export interface StoreWatchDeps {
  readonly store: Pick<OpsStore, 'audit' | 'keys' | 'checkWritable'>;
  readonly ring: Pick<KeyRing, 'forged' | 'unreadableSinceMs'>;
  readonly nowMs: () => number;
  readonly log: { error(facts: object, message: string): void };
}

const SEE = 'For details, see the command `audit --verify` of the keys.';

export class StoreWatch {
  readonly #deps: StoreWatchDeps;
  #current: readonly Notice[] = [];
  #foundKeys: Notice | undefined;
  #unwritable: Notice | undefined;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  get notices(): readonly Notice[] {
    const { ring, nowMs } = this.#deps;
    const { unreadableSinceMs: sinceMs } = ring;
    const unreadable = sinceMs === undefined ? [] : [noticeAt(sinceMs, UNREADABLE)];
    const keys =
      this.#foundKeys ?? (ring.forged > 0 ? noticeAt(nowMs(), keysNotLogged(ring.forged)) : undefined);
    const unwritable = sinceMs === undefined ? this.#unwritable : undefined;
    return [...unreadable, ...[unwritable, ...this.#current, keys].filter((one) => one !== undefined)];
  }

  /** Whether a change is accepted now: an idle store that is locked, read-only or full is noticed too. */
  async checkWritable(): Promise<void> {
    const { store, nowMs, log } = this.#deps;
    try {
      await store.checkWritable();
      this.#unwritable = undefined;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (this.#unwritable === undefined) log.error({ err: error }, 'the store takes no changes');
      this.#unwritable ??= noticeAt(nowMs(), UNWRITABLE);
    }
  }

  /** Verifies the whole audit log, and that the keys match it. */
  async check(): Promise<void> {
    const { store, nowMs, log } = this.#deps;
    const say = (message: string) => noticeAt(nowMs(), `${message} ${SEE}`);
    try {
      const broken = await store.audit.verify();
      const keys = await store.keys.unlogged();
      const headFault = await store.audit.headFault();
      if (broken !== undefined) log.error({ entry: broken }, 'the audit log does not match');
      if (keys.length > 0) log.error({ keys }, 'keys do not match the audit log; they are not accepted');
      if (headFault !== undefined)
        log.error({ err: headFault }, 'the head of the audit log cannot be written');
      this.#current = [
        ...(broken === undefined ? [] : [say(`The audit log does not match from entry ${broken} on.`)]),
        ...(headFault === undefined ? [] : [say('The head of the audit log cannot be written.')]),
      ];
      this.#foundKeys = keys.length === 0 ? undefined : noticeAt(nowMs(), keysNotLogged(keys.length));
    } catch (error) {
      log.error({ err: error }, 'the audit log cannot be verified');
      this.#current = [say('The audit log cannot be verified.')];
    }
  }
}

const UNREADABLE = 'The key store cannot be read, or has been replaced.';
const UNWRITABLE =
  'The ops store takes no changes, so requests that change something are refused. Free its lock or its disk.';
const keysNotLogged = (count: number) =>
  `Keys that do not match the audit log and are not accepted: ${count}. ${SEE}`;
const noticeAt = (ms: number, message: string): Notice => ({
  of: 'ops_store',
  at: new Date(ms).toISOString(),
  message,
});
