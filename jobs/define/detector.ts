// Detectors: the event types that a domain detects, and the policy values that govern them.
import type { EventSubject } from './subject.ts';

/** An event type with a detector. Its query is `event.<type>.sql` in the folder of its domain. */
export interface Detector {
  readonly type: string;
  /** What its events are about: an event of a subject that is held back is withheld. */
  readonly subject: EventSubject;
  /**
   * Name of a group of types of which one fact yields at most one, with the same natural key: an earlier event of another type of the group
   * is retracted.
   */
  readonly oneOf?: string;
  /** Dotted path of the policy value that is its threshold, if it is a single value. */
  readonly threshold?: string;
  /** Default of the policy `storm.cooldown_s`: seconds for which further events about a subject are held back. */
  readonly cooldown?: number;
  readonly rules?: DetectorRules;
}

/**
 * Dotted paths of the policy values that govern an event type, published as its rules. A path names one value, or a part of a section with
 * all its values; `*` matches any one name.
 */
export interface DetectorRules {
  /** Thresholds at which the event starts and ends. */
  readonly threshold?: readonly string[];
  /** Additional conditions, so that a single odd reading does not trigger an event. */
  readonly confirmation?: readonly string[];
  /** Units of values whose names do not end in one. */
  readonly units?: readonly (readonly [name: RegExp, unit: string])[];
}

export const defineDetector = (detector: Detector): Detector => Object.freeze(detector);
