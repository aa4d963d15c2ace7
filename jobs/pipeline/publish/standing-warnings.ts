// Warnings about conditions that last from run to run: each is logged when it begins, and not again at every tick.
import type { Reporter } from '../run/report.ts';

export class StandingWarnings {
  #standing: ReadonlySet<string> = new Set();

  /** `words`: all warnings that hold in this run. */
  say(reporter: Pick<Reporter, 'warn'>, words: Iterable<string>): void {
    const now = new Set(words);
    for (const one of now) if (!this.#standing.has(one)) reporter.warn(one);
    this.#standing = now;
  }
}
