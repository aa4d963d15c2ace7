// The format of a receipt on disk: its members followed by a hash of them, so that any changed byte is noticed.
import { createHash } from 'node:crypto';
import type { Receipt } from './receipt.ts';

export interface SealedReceipt {
  readonly receipt: Receipt;
  /** sha256 over the receipt's members. */
  readonly sha256: string;
}

/** Older versions wrote receipts without a hash. */
export interface StoredReceipt extends SealedReceipt {
  readonly isSealed: boolean;
}

const hashOfMembers = (receipt: object): string =>
  createHash('sha256').update(JSON.stringify(receipt)).digest('hex');

const textOf = (members: object): string => `${JSON.stringify(members, null, 1)}\n`;

export function sealReceipt(receipt: Receipt): { readonly text: string; readonly sha256: string } {
  const sha256 = hashOfMembers(receipt);
  return { text: textOf({ ...receipt, receipt_sha256: sha256 }), sha256 };
}

/** @throws Error that says what is wrong with the text. */
export function readSealed(text: string): StoredReceipt {
  const { receipt_sha256: sealed, ...rest } = JSON.parse(text) as Receipt & {
    readonly receipt_sha256?: string;
  };
  const sha256 = hashOfMembers(rest);
  if (sealed === undefined) return { receipt: rest, sha256, isSealed: false };
  if (sealed !== sha256) throw new Error(`its hash is ${sha256}, but it states ${sealed}`);
  if (text !== textOf({ ...rest, receipt_sha256: sealed }))
    throw new Error('its text differs from what was written');
  return { receipt: rest, sha256, isSealed: true };
}
