// The input of a handler without a request, which may change nothing, for prepared responses and for the static mirror.
import type { PlanName } from '../../schemas/plans.ts';
import type { Input } from '../define/endpoint.ts';
import { anonymousCaller } from './admit.ts';

type Fields = Readonly<Record<string, unknown>>;

const ANONYMOUS = anonymousCaller(null);

export const readingInput = (
  params: Fields,
  plan: PlanName | null = null,
): Input<Fields, Fields, Fields> => ({
  params,
  query: {},
  body: {},
  caller: plan === null ? ANONYMOUS : anonymousCaller(plan),
  requestId: '',
  commit: () => Promise.reject(new Error('A prepared response must not change anything.')),
});
