// Members that the requests of all calculations share: the seed, and the version to compute from.
import { Type, Ulid } from './define.ts';

/** 2⁵³ − 1: every integer up to it is exact in JSON. */
export const MAX_SEED = Number.MAX_SAFE_INTEGER;

export const Seed = Type.Integer({
  minimum: 0,
  maximum: MAX_SEED,
  description:
    'Seed of the random numbers; without one it follows from the request and the version, and equal requests are equal runs',
});

export const SnapshotVersion = Ulid('A kept version to compute from; the newest without it', {
  maxLength: 26,
});
