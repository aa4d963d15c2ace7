// Services for where nobody asks: no store, no callers. Whatever needs one of them is a mistake there.
import type { LiveServices } from './services.ts';

const refuse = (): never => {
  throw new Error('What is made for everybody cannot depend on who asks.');
};

export const NOTHING_LIVE: LiveServices = {
  get store() {
    return refuse();
  },
  get usage() {
    return refuse();
  },
  get webhooks() {
    return refuse();
  },
  rateOf: refuse,
  storeNotices: () => [],
  upgradeUrl: () => '',
};
