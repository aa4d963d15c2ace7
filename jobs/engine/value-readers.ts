// Reads values that each engine returns in its own form: numbers stay exact and finite, JSON is parsed (see `Row` in rows.ts).
import type { Json } from '../../platform/base/json.ts';
import { EngineError } from './errors.ts';

type Reader = (value: unknown) => Json;

/** Integers that a double cannot hold exactly become strings of digits. */
export function exactInteger(value: unknown): Json {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : String(value);
}

/** @throws EngineError for infinite values and NaN, with the name of the column */
export const finite =
  (column: string): Reader =>
  (value) => {
    const number = Number(value);
    if (!Number.isFinite(number))
      throw new EngineError(`Column "${column}" holds ${number}: guard the division or the logarithm.`);
    return Object.is(number, -0) ? 0 : number;
  };

/** A document whose members differ from row to row: `json_parse(text)`. @throws EngineError, naming the column, if it is not JSON */
export const parsed =
  (column: string): Reader =>
  (value) => {
    try {
      return JSON.parse(String(value)) as Json;
    } catch (cause) {
      throw new EngineError(`Column "${column}" does not hold JSON: ${String(value).slice(0, 80)}.`, {
        cause,
      });
    }
  };
