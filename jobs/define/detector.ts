// Detectors: the event types that a family finds, and the policy values that decide about them.

/** An event type with a detector. Its query is `event.<type>.sql` in the folder of its domain. */
export interface Detector {
  readonly type: string;
  /** Dotted path of the policy value that is its threshold, where one value is. */
  readonly threshold?: string;
  readonly rules?: DetectorRules;
}

/**
 * Names of the policy values that decide about an event type, published as its rules: a value, or a part all of whose values count. `*`
 * stands for any one name.
 */
export interface DetectorRules {
  /** Where it fires, and where it ends. */
  readonly threshold?: readonly string[];
  /** What must hold as well, so that a single odd reading is no event. */
  readonly confirmation?: readonly string[];
  /** Units of values whose names do not end in one. */
  readonly units?: readonly (readonly [name: RegExp, unit: string])[];
}

export const defineDetector = (detector: Detector): Detector => Object.freeze(detector);
