// A job host that shares landing through a bucket, for tests: a folder stands in for the bucket.
import { join } from 'node:path';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { type Ingest, openIngest } from '../../../../jobs/ingest/land.ts';
import { listReceipts } from '../../../../jobs/app/data-store.ts';
import { Journal } from '../../../../jobs/app/copies/journal.ts';
import { pull } from '../../../../jobs/app/copies/pull.ts';
import { SharedFolder } from '../../../../jobs/app/copies/landing-disk.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';

export interface Host {
  readonly dir: string;
  readonly ingest: Ingest;
  readonly journal: Journal;
  readonly shared: SharedFolder;
  /** Warnings of both sharing and landing. */
  readonly warnings: readonly string[];
}

export interface HostOptions {
  readonly root: string;
  readonly name: string;
  readonly store: ObjectStore;
  readonly db: DuckDb;
  readonly isHeld?: () => boolean;
}

/** Takes the next term, copies the shared files and opens landing. */
export async function openHost({ root, name, store, db, isHeld = () => true }: HostOptions): Promise<Host> {
  const dir = join(root, name);
  const { journal } = await Journal.enter(store, { installation: 'one', number: null });
  const copy = { disk: nodeDisk, dir, store };
  await pull(copy, journal, () => listReceipts(copy));
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const shared = new SharedFolder({ ...copy, journal, isHeld, warn });
  const notices = { step: () => undefined, warn };
  const ingest = await openIngest({ dir, db, disk: shared.disk, notices });
  return { dir, ingest, journal, shared, warnings };
}
