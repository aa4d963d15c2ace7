// The event type of the made-up eighth family.
import { defineDetector } from '../../../../jobs/define/detector.ts';

export const bridgeDetectors = [
  defineDetector({
    type: 'bridge.transfer.large',
    subject: ['bridge:{bridge}'],
    threshold: 'bridges.large_usd',
    rules: { threshold: ['bridges.large_usd'] },
  }),
];
