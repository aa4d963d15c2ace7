// The time of a version's data. Events can be published before the datasets of their time, so the version's own time may be later.
import { datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';

/** Logical time of the datasets, ISO 8601 UTC. */
export const dataTimeOf = (manifest: Manifest): string => datasetsAsOf(manifest);
