// The words and constants of VADER's rules (Hutto & Gilbert, ICWSM 2014), as in the reference implementation: vaderSentiment 3.3.2 for
// Python.

/** What a degree adverb adds to the valence of the next word. */
export const BOOST = 0.293;
/** What capitals add in a text that is not entirely in capitals. */
export const CAPITALS = 0.733;
export const NEGATION_SCALE = -0.74;
/** Normalizes a sum of valences to -1 to 1. */
export const NORMALIZE_ALPHA = 15;

const tokens = (text: string) => text.split(/\s+/).filter((word) => word !== '');

export const NEGATIONS: ReadonlySet<string> = new Set(
  tokens(`
    aint arent cannot cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neither neednt never none nope nor
    not nothing nowhere oughtnt shant shouldnt uhuh wasnt werent uh-uh without wont wouldnt rarely seldom despite
  `),
);

const stronger = tokens(`
  absolutely amazingly awfully completely considerable considerably decidedly deeply effing enormous enormously entirely especially
  exceptional exceptionally extreme extremely fabulously flipping flippin frackin fracking fricking frickin frigging friggin fully
  fuckin fucking fuggin fugging greatly hella highly hugely incredible incredibly intensely major majorly more most particularly
  purely quite really remarkably so substantially thoroughly total totally tremendous tremendously uber unbelievably unusually utter
  utterly very
`);
const weaker = [
  ...tokens(`
    almost barely hardly kinda kindof kind-of less little marginal marginally occasional occasionally partly scarce scarcely slight
    slightly somewhat sorta sortof sort-of
  `),
  'just enough',
  'kind of',
  'sort of',
];

export const BOOSTERS: ReadonlyMap<string, number> = new Map([
  ...stronger.map((word) => [word, BOOST] as const),
  ...weaker.map((word) => [word, -BOOST] as const),
]);

export const IDIOMS: ReadonlyMap<string, number> = new Map([
  ['the shit', 3],
  ['the bomb', 3],
  ['bad ass', 1.5],
  ['badass', 1.5],
  ['bus stop', 0],
  ['yeah right', -2],
  ['kiss of death', -1.5],
  ['to die for', 3],
  ['beating heart', 3.5],
]);

/** The last words of the idioms. */
export const IDIOM_ENDS: ReadonlySet<string> = new Set(
  [...IDIOMS.keys()].map((idiom) => idiom.slice(idiom.lastIndexOf(' ') + 1)),
);

const UPPER = /\p{Lu}/u;
const NOT_UPPER = /[\p{Ll}\p{Lt}]/u;
export const isCapitals = (word: string): boolean => UPPER.test(word) && !NOT_UPPER.test(word);

/** Expects a word in lower case. */
export const isNegation = (word: string): boolean => NEGATIONS.has(word) || word.includes("n't");
