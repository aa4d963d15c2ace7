// What a case of the conformance suite is given, and how cases are listed.
import type { OpsStore } from '../../../server/store/store.ts';

export interface Subject {
  /** Empty. */
  readonly store: OpsStore;
  /** Opens it as another process. */
  again(): Promise<OpsStore>;
}

export type Cases = Readonly<Record<string, (subject: Subject) => Promise<void>>>;
