// `retract`: returns to an earlier version after wrong data, or data with a future time, was published. The event log keeps its events;
// the ledger drops the ticks in between, and the warehouse is set aside so that the next run computes from landing.
import type { Claim } from '../../snapshots/claim.ts';
import { RefusedInputError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { listVersions } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { ulidMs } from '../../platform/base/ulid.ts';
import { refuseFuture } from '../pipeline/run/clock.ts';
import type { Ledger } from '../pipeline/run/ledger.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { counted, wasOrWere } from '../../platform/base/plural.ts';

export interface RetractContext {
  readonly snapshots: ObjectStore;
  readonly claim?: Claim | undefined;
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly print: (line: string) => void;
  /** A command as it is typed for this folder. */
  readonly commandFor: (operands: string) => string;
  /** Moves the warehouse away so that the next run rebuilds it from landing. */
  readonly setWarehouseAside: () => void | Promise<void>;
}

/** `to` is a version, or Unix seconds that select the newest version up to that time. The caller holds the folder's lock. */
export async function retract(context: RetractContext, to: string | number): Promise<ExitCode> {
  const { snapshots, claim, ledger, print } = context;
  const nowMs = context.nowMs();
  if (typeof to === 'number') refuseFuture(to, nowMs);
  const versions = await listVersions(snapshots);
  if (versions.length === 0)
    throw new RefusedInputError(
      `Nothing is published in ${snapshots.nameOf('')}: there is nothing to take back.`,
    );
  const version =
    typeof to === 'string' ? to : (versions.findLast((one) => ulidMs(one) <= to * 1000) ?? null);
  if (version !== null) refuseFuture(Math.floor(ulidMs(version) / 1000), nowMs);
  const isoNow = new Date(nowMs).toISOString();
  const as_of = new Date(typeof to === 'number' ? to * 1000 : nowMs).toISOString().replace('.000Z', 'Z');
  const done = await retractTo(snapshots, { version, as_of, generated_at: isoNow }, claim);
  await context.setWarehouseAside();
  const at = Math.floor(Date.parse(done.as_of) / 1000);
  const interval = { from: at, to: at };
  await ledger.append({
    run: `retract:${at}:${nowMs}`,
    job: 'retract',
    interval,
    attempt: ledger.attempts('retract', interval) + 1,
    state: 'succeeded',
    at: isoNow,
    output_version: done.version,
    reasons: done.withdrawn.map((one) => `took back ${one}`),
  });
  print(
    `Version ${done.version} as of ${done.as_of} is published; ${counted(done.withdrawn.length, 'version')} ${wasOrWere(done.withdrawn.length)} taken back, and the log keeps its ${counted(done.events, 'event')}. To continue: ${context.commandFor('run')}`,
  );
  return EXIT.done;
}
