// The checks before an endpoint's handler, for prepared and routed responses alike, in the order of decision 69: the sunset of the path,
// the caller's key and rate, plan and scope.
import { authorize } from '../access/authorize.ts';
import type { Access, Caller } from '../define/caller.ts';
import { checkSunset } from '../define/deprecation.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { Services } from '../services.ts';
import type { ReceivedRequest } from './request-gate.ts';

/** @throws Failure */
export function admitToEndpoint(
  endpoint: Endpoint,
  received: ReceivedRequest,
  {
    params,
    services,
    search = '',
  }: {
    readonly params: Readonly<Record<string, string>>;
    readonly services: Services;
    /** The query, with or without the question mark. */
    readonly search?: string;
  },
): Caller {
  if (endpoint.ending !== undefined) checkSunset(endpoint.ending, services.nowMs(), params);
  const access = endpoint.accessOf?.(params, services, new URLSearchParams(search)) ?? endpoint.access;
  return admitCaller(access, received, services.upgradeUrl);
}

/** @throws Failure if the caller was refused on arrival or lacks this access. */
export function admitCaller(
  access: Access,
  { admission }: ReceivedRequest,
  upgradeUrl: () => string,
): Caller {
  if (admission.failure !== undefined) throw admission.failure;
  authorize(access, admission.caller, upgradeUrl);
  return admission.caller;
}
