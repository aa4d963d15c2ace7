// Live services for places without callers, such as the static mirror: no store, no usage, no analytics, no webhooks. Using one of them throws.
import type { LiveServices } from './services.ts';

const refuse = (): never => {
  throw new Error('What is the same for every caller cannot depend on the caller.');
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
