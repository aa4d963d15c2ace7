// Members shared by the requests of all calculations: the seed, and the version to compute from.
import { Type, Ulid } from './define.ts';

/** 2⁵³ − 1: every integer up to it is exact in JSON. */
export const MAX_SEED = Number.MAX_SAFE_INTEGER;

export const Seed = Type.Integer({
  minimum: 0,
  maximum: MAX_SEED,
  description:
    'Seed of the random numbers; by default derived from the request and the version, so that equal requests are equal runs',
});

export const SnapshotVersion = Ulid('A kept version to compute from; by default the newest', {
  maxLength: 26,
});
