// The package brings no types. Its analyser is the measure of ours; its word list is what ours stands on.
declare module 'vader-sentiment' {
  export const SentimentIntensityAnalyzer: {
    polarity_scores(text: string): { readonly compound: number };
  };
}

declare module 'vader-sentiment/src/vader_lexicon.js' {
  /** Lower-case word or emoticon -> valence, -4 to 4. */
  export const lexicon: Readonly<Record<string, number>>;
}
