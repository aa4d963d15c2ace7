// What a case of the conformance suite receives, and how cases are listed.
import type { OpsStore } from '../../../server/store/store.ts';

export interface Subject {
  /** An empty store. */
  readonly store: OpsStore;
  /** Opens the store as another process. */
  again(): Promise<OpsStore>;
}

export type Cases = Readonly<Record<string, (subject: Subject) => Promise<void>>>;
