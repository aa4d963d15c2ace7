// Which of the documented bodies an error has: by its code, and by the envelope of its endpoint (7.1, 7.5, decisions 36 and 59).
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';
import type { Envelope } from './endpoint.ts';

export type ErrorForm = 'standard' | 'legacy' | 'flat' | 'bare';

const LEGACY: ReadonlySet<Envelope | undefined> = new Set(['legacy', 'legacy_data']);
/** Statuses of a caller that is not admitted: its error has the same body wherever it knocks. */
const NOT_ADMITTED: ReadonlySet<number> = new Set([401, 402, 403, 429]);

export function errorForm(code: ErrorCode, envelope: Envelope | undefined): ErrorForm {
  const { body, http } = ERRORS[code];
  if (body !== 'standard') return body;
  if (LEGACY.has(envelope)) return 'legacy';
  return envelope === 'flat' && !NOT_ADMITTED.has(http) ? 'flat' : 'standard';
}
