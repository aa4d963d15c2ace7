// What a handler is given when nobody in particular asks and nothing may change: for answers made ahead and for the static mirror.
import type { PlanName } from '../../schemas/plans.ts';
import { anonymousCaller } from '../access/caller.ts';
import type { Input } from './endpoint.ts';

type Fields = Readonly<Record<string, unknown>>;

const ANYBODY = anonymousCaller(null);

export const readingInput = (
  params: Fields,
  plan: PlanName | null = null,
): Input<Fields, Fields, Fields> => ({
  params,
  query: {},
  body: {},
  caller: plan === null ? ANYBODY : anonymousCaller(plan),
  requestId: '',
  commit: () => Promise.reject(new Error('An answer that is made ahead changes nothing.')),
});
