// All programs, and the rows of the command table in the documentation.
import type { FlagSpec, OperandSpec, ProgramSpec } from '../../platform/command-line/define-program.ts';
import { usageOf } from '../../platform/command-line/help.ts';
import { JOBS } from '../../platform/command-line/jobs-commands.ts';
import { KEYS } from '../../platform/command-line/keys-commands.ts';
import { BACKUP, DOCTOR, RESTORE } from '../../platform/command-line/operator-commands.ts';
import { SERVER } from '../../platform/command-line/server-commands.ts';
import { START } from '../../platform/command-line/start-command.ts';

export const PROGRAMS: readonly ProgramSpec[] = [START, JOBS, SERVER, KEYS, BACKUP, RESTORE, DOCTOR];

export interface CommandRow {
  readonly program: string;
  readonly command: string;
  /** Complete command line with placeholders. */
  readonly usage: string;
  readonly description: string;
  readonly words: readonly OperandSpec[];
  readonly flags: readonly (FlagSpec & { readonly name: string })[];
  readonly examples: readonly string[];
}

export const commandRows = (programs = PROGRAMS): readonly CommandRow[] =>
  programs.flatMap((program) =>
    Object.entries(program.commands).map(([command, spec]) => ({
      program: program.name,
      command,
      usage: usageOf(program, command, spec),
      description: spec.description,
      words: spec.operands,
      flags: Object.entries(spec.flags).map(([name, flag]) => ({ name, ...flag })),
      examples: spec.examples,
    })),
  );
