// The words and constants of VADER's rules (Hutto & Gilbert, ICWSM 2014), as the vader-sentiment package has them: it keeps them to itself.

/** What a degree adverb adds to the valence it stands before. */
export const BOOST = 0.293;
/** What capitals add in a text that is not all capitals. */
export const CAPITALS = 0.733;
export const NEGATION_SCALE = -0.74;
/** Brings a sum of valences into -1 to 1. */
export const NORMALIZE_ALPHA = 15;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** What a word may carry before or after it and is still that word. */
export const PUNCTUATION: ReadonlySet<string> = new Set(
  words(`. ! ? , ; : - ' " !! !!! ?? ??? ?!? !?! ?!?! !?!?`),
);

export const NEGATIONS: ReadonlySet<string> = new Set(
  words(`
    aint arent cannot cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neither neednt never none nope nor
    not nothing nowhere oughtnt shant shouldnt uhuh wasnt werent uh-uh without wont wouldnt rarely seldom despite
  `),
);

const stronger = words(`
  absolutely amazingly awfully completely considerably decidedly deeply effing enormously entirely especially exceptionally extremely
  fabulously flipping flippin fricking frickin frigging friggin fully fucking greatly hella highly hugely incredibly intensely majorly
  more most particularly purely quite really remarkably so substantially thoroughly totally tremendously uber unbelievably unusually
  utterly very
`);
const weaker = [
  ...words(`
    almost barely hardly kinda kindof kind-of less little marginally occasionally partly scarcely slightly somewhat sorta sortof sort-of
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
  ['yeah right', -2],
  ['cut the mustard', 2],
  ['kiss of death', -1.5],
  ['hand to mouth', -2],
]);

/** The last words of the idioms. */
export const IDIOM_ENDS: ReadonlySet<string> = new Set(
  [...IDIOMS.keys()].map((idiom) => idiom.slice(idiom.lastIndexOf(' ') + 1)),
);

const CAPITAL_WORD = /^[^a-z]*[A-Z][^a-z]*$/;
export const isCapitals = (word: string): boolean => CAPITAL_WORD.test(word);

export const isNegation = (word: string): boolean => NEGATIONS.has(word) || word.includes("n't");
