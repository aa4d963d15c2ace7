// What a version holds back, as its manifest states it.

/** How many entries a list has at most. */
export const MAX_LISTED = 200;

/** Subjects that are left out of datasets. */
export interface HeldSubjects {
  /** Number of pairs of a dataset and a subject; the list has the first of them. */
  readonly total: number;
  /** Ordered by dataset and subject, datasets that are held back as a whole first. */
  readonly list: readonly {
    readonly dataset: string;
    /** The values that identify it, joined by a space; `*` for the whole dataset. */
    readonly subject: string;
    /** Logical time of the first version that holds it back, ISO 8601 UTC. */
    readonly since: string;
    /** Names of checks in the quality gate. */
    readonly checks: readonly string[];
    /** What is wrong and what releases it. */
    readonly reason: string;
  }[];
}

/** Events that are not appended, because what they are about is held back. They are appended once it is released. */
export interface WithheldEvents {
  /** Number of events. */
  readonly total: number;
  /** Time of the earliest, ISO 8601 UTC. */
  readonly since: string;
  /** Ordered by type and subject. */
  readonly list: readonly {
    readonly type: string;
    readonly subject_id: string;
    readonly count: number;
    readonly since: string;
    readonly reason: string;
  }[];
}
