// Which receipts count. A supersession is a receipt without rows: it names the batches that no longer count, and from then on the batches
// that landed with it count. It is committed by one rename, so a crash leaves either the rows before it or the rows after it.
import type { Receipt, Supersession } from './receipt.ts';

/** The receipt of a supersession. */
export type SupersedingReceipt = Receipt & { readonly supersession: Supersession };

export const isSuperseding = (receipt: Receipt): receipt is SupersedingReceipt =>
  receipt.supersession !== undefined;

export interface Standing {
  /** Batches that count. */
  readonly counting: readonly Receipt[];
  /** Batches that landed and no longer count. Their files stay. */
  readonly superseded: readonly Receipt[];
  readonly supersessions: readonly SupersedingReceipt[];
  /** Batches of a supersession that was never committed. */
  readonly pending: readonly Receipt[];
}

export function standingOf(receipts: readonly Receipt[]): Standing {
  const supersessions = receipts.filter(isSuperseding);
  const committed = new Set(supersessions.map(({ batch }) => batch));
  const gone = new Set(supersessions.flatMap(({ supersession }) => supersession.batches));
  const isPending = ({ landed_with }: Receipt) => landed_with !== undefined && !committed.has(landed_with);
  const batches = receipts.filter((receipt) => !isSuperseding(receipt));
  const landed = batches.filter((receipt) => !isPending(receipt));
  return {
    counting: landed.filter(({ batch }) => !gone.has(batch)),
    superseded: landed.filter(({ batch }) => gone.has(batch)),
    supersessions,
    pending: batches.filter(isPending),
  };
}
