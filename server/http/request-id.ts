// The id of a request: the caller's own if acceptable, otherwise a new one that is cheap to create.
import { LIMITS } from '../../schemas/plans.ts';

const SANE = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${LIMITS.request_id_characters - 1}}$`);

/** A key or signing secret sent as an id by mistake would end up in logs. */
const SECRET = /rk_live_|whsec_/;

export type MakeRequestId = () => string;

/** Ids are `req_<seed>_<count>`. `seed` is random and created once per process, so ids of two servers differ. */
export function requestIdMaker(seed: string): MakeRequestId {
  const prefix = `req_${seed}_`;
  let count = 0;
  return () => `${prefix}${++count}`;
}

export function requestIdOf(header: string | readonly string[] | undefined, make: MakeRequestId): string {
  return typeof header === 'string' && SANE.test(header) && !SECRET.test(header) ? header : make();
}
