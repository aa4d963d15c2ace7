// What a setting is: its name, type, default and meaning.

export interface SpecOf<Name extends string> {
  readonly name: Name;
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Form of the text: a regular expression over all of it, and its description. */
  readonly form?: { readonly pattern: string; readonly words: string };
  /** Default as text; `{data_dir}` is replaced by that setting. */
  readonly default: string;
  readonly help: string;
}
