// Encryption of raw rows with personal data: AES-256-GCM with a key derived from the landing key. The nonce is derived from the content, so
// that the same row always yields the same text and no randomness is needed.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { IngestError } from '../errors.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

const derived = (key: Uint8Array, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, '', `landing quarantine ${purpose}`, KEY_BYTES));

/** `place` identifies the row, so that equal rows in two places yield different texts. */
export function encryptRaw(key: Uint8Array, place: string, raw: Buffer): Buffer {
  const nonce = createHmac('sha256', derived(key, 'nonce'))
    .update(`${place}\n`)
    .update(raw)
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derived(key, 'text'), nonce);
  const text = Buffer.concat([cipher.update(raw), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Throws IngestError when the text was encrypted with another key. */
export function decryptRaw(key: Uint8Array, encrypted: Buffer): Buffer {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const cipher = createDecipheriv(ALGORITHM, derived(key, 'text'), nonce).setAuthTag(tag);
  try {
    return Buffer.concat([cipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
  } catch (cause) {
    const todo = 'Put back the key file that was in use at the time, or fetch the rows again';
    throw new IngestError('damaged_landing', 'a quarantined row cannot be decrypted', { todo, cause });
  }
}
