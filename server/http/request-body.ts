// Reads the JSON body of a request, whole and within limits, before it is used.
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../../schemas/plans.ts';
import { Failure } from '../define/failure.ts';
import { hasBody } from './guard.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

export interface RequestBody {
  /** The received bytes, to which an idempotency key is bound. */
  readonly bytes: Buffer;
  /** `{}` without a body. */
  readonly value: unknown;
}

/** @throws Failure `invalid_request` */
export async function readJsonBody(request: IncomingMessage): Promise<RequestBody> {
  if (!hasBody(request)) return { bytes: Buffer.alloc(0), value: {} };
  checkHeaders(request.headers);
  const bytes = await readBytes(request);
  return { bytes, value: bytes.length === 0 ? {} : parse(bytes) };
}

function checkHeaders(headers: IncomingMessage['headers']): void {
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw malformed('A compressed request body is not accepted.');
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw malformed('The body must be JSON, sent with Content-Type: application/json.');
}

/** The bytes of a body, within the limit. @throws Failure `invalid_request` */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LIMITS.body_bytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new Failure('invalid_request', 'The body ended before it was complete.', {
      details: { reason: cause instanceof Error ? cause.message : 'unknown' },
    });
  }
  if (length > LIMITS.body_bytes) throw malformed(`The body is longer than ${LIMITS.body_bytes} bytes.`);
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // JSON.parse quotes the invalid text, which may be a secret.
    throw malformed(error instanceof SyntaxError ? 'The body is not JSON.' : 'The body is not UTF-8.');
  }
}

const malformed = (message: string) => new Failure('invalid_request', message);
