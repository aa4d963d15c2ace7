// Detectors: the event types that a domain detects, and the policy values that decide about them.

/** An event type with a detector. Its query is `event.<type>.sql` in the folder of its domain. */
export interface Detector {
  readonly type: string;
  /** Dotted path of the policy value that is its threshold, if a single value is. */
  readonly threshold?: string;
  /** Default of the policy `storm.cooldown_s`: seconds for which further events about a subject are held back. */
  readonly cooldown?: number;
  readonly rules?: DetectorRules;
}

/**
 * Names of the policy values that decide about an event type, published as its rules: a value, or a section part with all its values.
 * `*` matches any one name.
 */
export interface DetectorRules {
  /** Thresholds at which it starts, and at which it ends. */
  readonly threshold?: readonly string[];
  /** Additional conditions, so that a single odd reading does not make an event. */
  readonly confirmation?: readonly string[];
  /** Units of values whose names do not end in one. */
  readonly units?: readonly (readonly [name: RegExp, unit: string])[];
}

export const defineDetector = (detector: Detector): Detector => Object.freeze(detector);
