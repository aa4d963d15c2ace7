// Which web pages may call tools. Without this check, a page could reach a server on the reader's own machine under a name that its owner
// points there (DNS rebinding).
import type { IncomingMessage } from 'node:http';
import { Failure } from '../define/failure.ts';

export interface OriginRule {
  /** Address on which the server listens. */
  readonly host: string;
  /** Origins allowed in addition to local ones; if undefined, a server on a public address allows any. */
  readonly allowed: ReadonlySet<string> | undefined;
}

const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i;
const ORIGIN = /^https?:\/\/[^/?#@\s]+$/i;

/** Programs other than browsers send no origin. @throws Failure `forbidden` */
export function checkOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { host, allowed }: OriginRule,
): void {
  const { origin } = headers;
  if (origin === undefined || allowed?.has(origin) === true) return;
  const name = hostOf(origin);
  const isOpen = allowed === undefined && !LOCAL.test(host);
  if (name !== undefined && (isOpen || LOCAL.test(name))) return;
  throw new Failure(
    'forbidden',
    'Pages of this origin may not call tools. STREAM_ORIGINS lists the origins that may.',
  );
}

function hostOf(origin: string): string | undefined {
  if (!ORIGIN.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).hostname;
}
