// The engine of what-if questions as long as it is of use: opened with the first question, because an installation that simulates nothing
// pays no memory for it, and again with the question after a fault, because a database with a fatal error answers nothing any more.
import type { WhatIfEvent, WhatIfQuestion } from '../../schemas/what-if.ts';
import { causeAmong, EngineError } from '../engine/errors.ts';

export interface Engine {
  answer(question: WhatIfQuestion): Promise<readonly WhatIfEvent[]>;
  close(): Promise<void>;
}

/** Takes one question at a time. */
export function lazyEngine(open: () => Promise<Engine>): Engine {
  let engine: Engine | undefined;
  const close = async () => {
    const last = engine;
    engine = undefined;
    await last?.close();
  };
  return {
    async answer(question) {
      engine ??= await open();
      try {
        return await engine.answer(question);
      } catch (error) {
        if (causeAmong(error, [EngineError]) !== null) await close();
        throw error;
      }
    },
    close,
  };
}
