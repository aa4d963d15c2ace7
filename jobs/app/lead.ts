// Works on a data folder as its only leader: takes the lease, marks the term in the folder, and writes through the fence.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Lease, Leases } from '../../platform/leases/leases.ts';
import { INSTALLATION_FILE } from '../../platform/processes/data-folder.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { enterTerm, fencedDisk, hasTerms, type TermMark } from '../../platform/storage/fence.ts';
import type { Config } from '../config.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { dataStore, type EnterEffects, enterShared } from './data-store.ts';
import { InstanceRunningError } from './folder-lock.ts';
import type { Effects } from './open-context.ts';
import { setAside } from './set-aside.ts';

const LEAD = 'lead';

export interface LeadOptions {
  readonly leases: Leases;
  readonly config: Config;
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
  readonly effects: Pick<EnterEffects, 'nowMs' | 'random' | 'makeKey'>;
  /** Checks that the command fits the data folder and records what it is started with. Runs before any work on the folder. */
  readonly claim: (term: TermMark | null) => Promise<void>;
}

/** What a leader works with: a disk that refuses every change once another host leads. */
export type LeaderEffects = Required<Pick<Effects, 'disk' | 'term'>> & Pick<Effects, 'shared'>;

/** @throws InstanceRunningError while another process leads; StaleTermError */
export async function whileLeading<T>(
  leading: LeadOptions,
  work: (effects: LeaderEffects) => Promise<T>,
): Promise<T> {
  const lease = await leading.leases.take(LEAD);
  if (lease === null) throw otherLeads(leading.config);
  try {
    return await work(await begin(leading, lease));
  } finally {
    await lease.release();
  }
}

/**
 * Leads whenever it is this process's turn, until `stopped`. If several hosts take turns, it stands by until the leader is gone. `over`
 * resolves when this process must end its work, because it is stopped or no longer leads.
 * @throws what the work throws while this process leads; InstanceRunningError if hosts do not take turns and another process leads
 */
export async function leadInTurn<T>(
  leading: LeadOptions,
  stopped: Promise<unknown>,
  work: (effects: LeaderEffects, over: Promise<unknown>) => Promise<T>,
): Promise<T | null> {
  let isStopping = false;
  void stopped.then(() => {
    isStopping = true;
  });
  for (;;) {
    const lease = await leading.leases.wait(LEAD, stopped);
    if (lease === null) {
      if (isStopping) return null;
      throw otherLeads(leading.config);
    }
    try {
      const effects = await begin(leading, lease);
      const result = await work(effects, Promise.race([stopped, lease.ended]));
      if (isStopping) return result;
    } catch (error) {
      if (lease.isHeld() || isStopping) throw error;
      leading.reporter.warn(`the work of an ended term failed: ${messageOf(error)}`);
    } finally {
      await lease.release();
    }
    leading.reporter.warn('this host is no longer the leader; it stands by');
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const otherLeads = ({ settings }: Config) =>
  new InstanceRunningError(
    `Another instance is working on ${settings.data_dir}. Wait for it, stop it, or give this one its own --data-dir.`,
  );

async function begin(leading: LeadOptions, lease: Lease): Promise<LeaderEffects> {
  const { config, reporter, effects } = leading;
  const { settings, paths } = config;
  const folder = { disk: nodeDisk, dir: settings.data_dir };
  mkdirSync(settings.data_dir, { recursive: true });
  mkdirSync(settings.work_dir, { recursive: true });
  const store = dataStore(config, effects);
  if (store !== null) {
    const { shared, own, before } = await enterShared(config, store, { ...effects, reporter, lease });
    await leading.claim(lease.term);
    await shared.keep([INSTALLATION_FILE]);
    leaveForeignWarehouse(paths, { before, own }, reporter);
    reporter.step('this host leads', { term: own.number });
    return { disk: shared.disk, term: lease.term, shared };
  }
  if (lease.term === null) {
    if (!(await hasTerms(folder))) {
      await leading.claim(null);
      return { disk: nodeDisk, term: null };
    }
    throw new Error(
      `${settings.data_dir} is shared by job hosts that take turns. Set LEASE_STORE as they do; if this is the only host from now on, remove ${settings.data_dir}/terms.`,
    );
  }
  const before = await enterTerm(folder, lease.term);
  await leading.claim(lease.term);
  leaveForeignWarehouse(paths, { before, own: lease.term }, reporter);
  reporter.step('this host leads', { term: lease.term.number });
  const own = lease.term;
  return { disk: fencedDisk({ ...folder, own, isHeld: () => lease.isHeld() }), term: own };
}

/** Sets aside a warehouse that missed a term: it lacks what another host computed and published, so it is rebuilt from landing. */
function leaveForeignWarehouse(
  { warehouse, warehouse_term: file }: Config['paths'],
  { before, own }: { readonly before: TermMark | null; readonly own: TermMark },
  reporter: LeadOptions['reporter'],
): void {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  const isOurs = before === null ? known === null : known === lineOf(before);
  if (!isOurs && existsSync(warehouse)) {
    reporter.warn('another host has led since; the warehouse is set aside and rebuilt from landing');
    setAside(warehouse);
  }
  writeFileSync(file, `${lineOf(own)}\n`, { flush: true });
}

const lineOf = ({ installation, number }: TermMark) => `${installation} ${number}`;
