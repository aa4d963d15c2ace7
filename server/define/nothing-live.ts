// Live services for contexts without callers, such as the static mirror: no store, usage, analytics or webhooks. Using one of them throws.
import type { LiveServices } from './services.ts';

const refuse = (): never => {
  throw new Error('A response that is the same for all callers cannot depend on the caller.');
};

const nothing = new Proxy({}, { get: refuse });

export const NOTHING_LIVE: LiveServices = {
  store: nothing as LiveServices['store'],
  usage: nothing as LiveServices['usage'],
  analytics: nothing as LiveServices['analytics'],
  webhooks: nothing as LiveServices['webhooks'],
  rateOf: refuse,
  storeNotices: () => [],
  upgradeUrl: () => '',
};
