// Refuses positions that add up to more than exists, because figures about them would rest on money that is not there.
import { fieldFailure } from '../define/failure.ts';

/** Something of which there is a published amount. */
export interface ExistingAmount {
  readonly id: string;
  readonly usd: number;
  /** What the amount is, as in "100.00 USD are supplied to ethereum:0x1". */
  readonly description: string;
}

/** Half a cent: amounts are compared to the cent. */
const ROUNDING_USD = 0.005;

export class ExistingAmounts {
  readonly #taken = new Map<string, number>();

  /**
   * Counts an amount of a position.
   * @throws Failure `validation_failed` if all positions so far add up to more than exists
   */
  take(field: string, usd: number, { id, usd: existing, description }: ExistingAmount): void {
    const before = this.#taken.get(id) ?? 0;
    this.#taken.set(id, before + usd);
    if (before + usd <= existing + ROUNDING_USD) return;
    const earlier = before > 0 ? `, and the positions before it hold ${before.toFixed(2)} of them` : '';
    throw fieldFailure(field, `is more than exists: ${existing.toFixed(2)} USD are ${description}${earlier}`);
  }
}

export const suppliedTo = (market: string, usd: number): ExistingAmount => ({
  id: `supply of ${market}`,
  usd,
  description: `supplied to ${market}`,
});
