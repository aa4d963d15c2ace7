// The identity of a run (decision 67): equal requests over equal inputs are one run, wherever and whenever they are made.
import { canonicalJson, sha256Hex } from '../../platform/storage/canonical.ts';

/** Everything that the result depends on. */
export interface RunFacts {
  /** Path of the endpoint, as defined. */
  readonly endpoint: string;
  /** What the path identifies, for example a market; null if nothing. */
  readonly id: string | null;
  /** The request with its defaults, without seed and version. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly snapshot_version: string;
  readonly model_version: string;
  readonly policy_version: string;
}

export interface RunIdentity {
  /** SHA-256, hex. */
  readonly run_key: string;
  /** 0 to 2⁵³ − 1. */
  readonly seed: number;
}

/** 13 hexadecimal digits are 52 bits; the seed also takes the first bit of the next digit. */
const SEED_DIGITS = 13;

/** Without a caller's seed, the seed is the first 53 bits of the hash of the facts, so that equal questions are equal runs. */
export function runIdentity(facts: RunFacts, seed: number | undefined): RunIdentity {
  const chosen = seed ?? firstBits(sha256Hex(canonicalJson({ ...facts })));
  const request = { ...facts.request, seed: chosen };
  return { run_key: sha256Hex(canonicalJson({ ...facts, request })), seed: chosen };
}

function firstBits(hex: string): number {
  const rest = Number.parseInt(hex.slice(SEED_DIGITS, SEED_DIGITS + 1), 16);
  return Number.parseInt(hex.slice(0, SEED_DIGITS), 16) * 2 + Math.floor(rest / 8);
}
