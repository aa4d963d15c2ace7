// A whole run of an exit simulation in one part, which the service computes in shares.
import type { ExitBasis } from '../../models/exit-market.ts';
import { type ExitOrder, type ExitPart, joinParts, partOf, sharesOf } from '../../models/exit-parts.ts';

export const wholeOf = (basis: ExitBasis, order: ExitOrder): ExitPart =>
  joinParts(sharesOf(order, 1).map((share) => partOf(basis, order, share)));
