// The error that lists everything wrong in a configuration, wherever it was written.
import { printable } from '../base/printable.ts';

export interface SettingsProblem {
  /** For example `environment PORT`, `.env line 3`, `config.json: demo_feeds`, `flag --port`. */
  readonly where: string;
  readonly given: string;
  readonly expected: string;
  /** The known name that was probably meant, spelled as in that origin. */
  readonly closest: string | null;
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.map(({ where, given, expected, closest }) => {
      const hint = closest === null ? '' : `; did you mean ${closest}?`;
      return printable(`  ${where}: ${given}; expected ${expected}${hint}`);
    });
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}

/** A value as shown in a problem: JSON, cut if it is long. */
export function written(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return `${text.length > 80 ? `${text.slice(0, 80)}…` : text} given`;
}
