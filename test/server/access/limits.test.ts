import { localLimits } from '../../../server/access/limits.ts';
import { limitsConform } from './limits-conformance.ts';

limitsConform(async () => {
  let nowMs = 0;
  return {
    servers: [localLimits()],
    nowMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
    },
  };
});
