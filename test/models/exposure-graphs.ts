// Random graphs of holders for the tests of exposure and losses: shares of a holder add up to 1 at most.
import fc from 'fast-check';
import type { Edge } from '../../models/exposure.ts';

export const edge = (from: string, to: string, share: number): Edge => ({ from, to, share });

export const graph = fc
  .array(fc.tuple(fc.nat(7), fc.nat(7), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 24 })
  .map((drawn) => {
    const counts = new Map<number, number>();
    for (const [from] of drawn) counts.set(from, (counts.get(from) ?? 0) + 1);
    return drawn.map(([from, to, share]) => edge(`n${from}`, `n${to}`, share / (counts.get(from) ?? 1)));
  });
