// The definition of a setting: its name, type, default and meaning; and the forms of text that several settings share.

export interface SettingSpec {
  readonly name: string;
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Form of the text: a regular expression that must match all of it, and its description. */
  readonly form?: { readonly pattern: string; readonly expected: string };
  /** Default as text; `{data_dir}` is replaced by that setting. */
  readonly default: string;
  /** Markdown, without a full stop. */
  readonly help: string;
}

/** Type of a setting's value. */
export type ValueOf<S extends SettingSpec> = S['kind'] extends readonly (infer Choice)[]
  ? Choice
  : S['kind'] extends 'integer' | 'number'
    ? number
    : S['kind'] extends 'boolean'
      ? boolean
      : string;

/** Settings that are read together, under one heading. */
export interface SettingGroup<S extends SettingSpec = SettingSpec> {
  readonly title: string;
  readonly settings: readonly S[];
}

export const settingGroup = <const S extends SettingSpec>(
  title: string,
  settings: readonly S[],
): SettingGroup<S> => ({ title, settings });

type Form = NonNullable<SettingSpec['form']>;

/** May be empty. */
export const BUCKET: Form = { pattern: '(s3://\\S+)?', expected: '`s3://bucket/prefix`, or nothing' };

/** May be empty. */
export const ADDRESS: Form = {
  pattern: '(https?://\\S+)?',
  expected: 'an http or https address, or nothing',
};

/** May be empty. */
export const DATABASE: Form = {
  pattern: '(postgres(ql)?://\\S+)?',
  expected: 'an address such as postgres://user@host/database, or nothing',
};

export const PATH: Form = { pattern: '.*\\S.*', expected: 'a path' };
