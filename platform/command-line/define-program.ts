// What a program accepts on its command line: its commands, their words and flags. One definition provides the parser, the types of the
// parsed values, the help texts and the tables of the documentation.

export interface FlagSpec {
  readonly type: 'boolean' | 'string';
  /** Placeholder for the value in help texts; booleans have none. */
  readonly value?: string;
  readonly description: string;
  /** All accepted values. */
  readonly choices?: readonly string[];
  /** As the user would type it. */
  readonly default?: string;
  readonly isRequired?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
}

/** A positional argument after the name of the command. */
export interface OperandSpec {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface CommandSpec {
  readonly description: string;
  readonly operands: readonly OperandSpec[];
  readonly flags: { readonly [name: string]: FlagSpec };
  /** Complete command lines. */
  readonly examples: readonly string[];
}

export interface ProgramSpec {
  readonly name: string;
  /** The command that starts the program, up to the first argument. */
  readonly invocation: string;
  readonly description: string;
  /** The command that runs if none is named; null if one is required. */
  readonly defaultCommand: string | null;
  readonly commands: { readonly [name: string]: CommandSpec };
  /** Lines at the end of the help text: value formats, exit codes. */
  readonly notes: readonly string[];
}

type TextOf<F extends FlagSpec> = F extends { choices: readonly (infer Choice)[] } ? Choice : string;

type ValueOf<F extends FlagSpec> = F extends { type: 'boolean' }
  ? boolean
  : F extends { isRepeatable: true }
    ? readonly TextOf<F>[]
    : F extends { isRequired: true } | { default: string }
      ? TextOf<F>
      : TextOf<F> | undefined;

export type FlagValues<C extends CommandSpec> = { readonly [N in keyof C['flags']]: ValueOf<C['flags'][N]> };

/** A parsed command line. Booleans default to false, repeatable flags to an empty list. */
export type ParsedCommand<P extends ProgramSpec> = {
  readonly [N in keyof P['commands'] & string]: {
    readonly name: N;
    readonly flags: FlagValues<P['commands'][N]>;
    readonly operands: readonly string[];
  };
}[keyof P['commands'] & string];

export function defineProgram<const P extends ProgramSpec>(program: P): P {
  return Object.freeze(program);
}
