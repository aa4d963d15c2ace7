// The package has no types. Our word list extends its list; the package's rules are older than those of vader.ts.
declare module 'vader-sentiment/src/vader_lexicon.js' {
  /** Lower-case word or emoticon -> valence, -4 to 4. */
  export const lexicon: Readonly<Record<string, number>>;
}
