// Sentiment of a text by VADER's rules over a word list. With VADER's own list it gives the same results as the reference implementation
// (vaderSentiment 3.3.2 for Python), including its quirks.
import {
  BOOST,
  BOOSTERS,
  CAPITALS,
  IDIOMS,
  isCapitals,
  isNegation,
  NEGATION_SCALE,
  NORMALIZE_ALPHA,
} from './vader-rules.ts';
import { emojiAsText, type WordList, type Tokens, tokensOf } from './vader-words.ts';

/** VADER's compound score, -1 to 1 with four decimals; 0 for a text without words. */
export function compound(given: string, list: WordList): number {
  const text = emojiAsText(given, list);
  const tokens = tokensOf(text, list);
  const valences = tokens.lower.map((_, index) => valenceAt(tokens, list, index));
  weighAroundBut(tokens.lower, valences);
  let sum = 0;
  for (const valence of valences) sum += valence;
  const emphasis = emphasisOf(text);
  if (sum > 0) sum += emphasis;
  else if (sum < 0) sum -= emphasis;
  return Number.parseFloat((sum / Math.sqrt(sum * sum + NORMALIZE_ALPHA)).toFixed(4));
}

function valenceAt(tokens: Tokens, { valences }: WordList, at: number): number {
  const { lower, given, isMixedCase } = tokens;
  const word = lower[at] ?? '';
  if (BOOSTERS.has(word) || (word === 'kind' && lower[at + 1] === 'of')) return 0;
  const own = valences.get(word);
  if (own === undefined || own === 0) return 0;
  let valence = word === 'no' && isFelt(lower[at + 1], valences) ? 0 : own;
  if (isAfterNo(lower, at)) valence = own * NEGATION_SCALE;
  if (isMixedCase && isCapitals(given[at] ?? '')) valence += valence > 0 ? CAPITALS : -CAPITALS;
  for (let distance = 1; distance <= 3 && distance <= at; distance++) {
    if (valences.has(lower[at - distance] ?? '')) continue;
    valence += boostOf(tokens, at - distance, valence) * (DAMPING[distance] ?? 1);
    valence = negated(tokens, valence, { at, distance });
    if (distance === 3) valence = idiomOf(tokens, valence, at);
  }
  return valenceAfterLeast(lower, valences, { at, valence });
}

const isFelt = (word: string | undefined, valences: WordList['valences']) =>
  word !== undefined && (valences.get(word) ?? 0) !== 0;

/** Matches `no good`, `no very good`, `no good or bad`. */
function isAfterNo(lower: readonly string[], at: number): boolean {
  if (lower[at - 1] === 'no' || lower[at - 2] === 'no') return true;
  return lower[at - 3] === 'no' && (lower[at - 1] === 'or' || lower[at - 1] === 'nor');
}

const DAMPING = [1, 1, 0.95, 0.9];

function boostOf({ lower, given, isMixedCase }: Tokens, at: number, valence: number): number {
  const boost = BOOSTERS.get(lower[at] ?? '');
  if (boost === undefined) return 0;
  const signed = valence < 0 ? -boost : boost;
  if (!isMixedCase || !isCapitals(given[at] ?? '')) return signed;
  return valence > 0 ? signed + CAPITALS : signed - CAPITALS;
}

/** Adjusts the valence of a word for a negation 1, 2 or 3 words before it. */
function negated(
  { lower }: Tokens,
  valence: number,
  { at, distance }: { at: number; distance: number },
): number {
  const isSoOrThis = (back: number) => lower[at - back] === 'so' || lower[at - back] === 'this';
  const isDoubt = (back: number) => lower[at - back] === 'doubt';
  const word = lower[at - distance] ?? '';
  if (distance === 2) {
    if (word === 'never' && isSoOrThis(1)) return valence * 1.25;
    if (word === 'without' && isDoubt(1)) return valence;
  }
  if (distance === 3) {
    if ((word === 'never' && isSoOrThis(2)) || isSoOrThis(1)) return valence * 1.25;
    if (word === 'without' && (isDoubt(2) || isDoubt(1))) return valence;
  }
  return isNegation(word) ? valence * NEGATION_SCALE : valence;
}

function idiomOf({ lower, mayHaveIdiom }: Tokens, before: number, at: number): number {
  const valence = mayHaveIdiom ? idiomAround(lower, before, at) : before;
  const isWeaker = isWeakPair(lower[at - 3], lower[at - 2]) || isWeakPair(lower[at - 2], lower[at - 1]);
  return isWeaker ? valence - BOOST : valence;
}

const isWeakPair = (first = '', second = '') =>
  (second === 'of' || second === 'enough') && BOOSTERS.has(`${first} ${second}`);

function idiomAround(lower: readonly string[], before: number, at: number): number {
  const part = (from: number, to: number) => lower.slice(at + from, at + to + 1).join(' ');
  const earlier = [part(-1, 0), part(-2, 0), part(-2, -1), part(-3, -1), part(-3, -2)];
  const found = earlier.find((tokens) => IDIOMS.has(tokens));
  let valence = found === undefined ? before : (IDIOMS.get(found) ?? before);
  if (lower.length - 1 > at) valence = IDIOMS.get(part(0, 1)) ?? valence;
  if (lower.length - 1 > at + 1) valence = IDIOMS.get(part(0, 2)) ?? valence;
  return valence;
}

/** `least` negates the next word, except in `at least` and `very least`. */
function valenceAfterLeast(
  lower: readonly string[],
  valences: ReadonlyMap<string, number>,
  { at, valence }: { at: number; valence: number },
): number {
  if (lower[at - 1] !== 'least' || valences.has('least')) return valence;
  const before = lower[at - 2];
  return before === 'at' || before === 'very' ? valence : valence * NEGATION_SCALE;
}

/**
 * Words after the first `but` weigh more than those before it. The reference looks a valence up by its value, so among equal valences it
 * always weights the first; this does the same, because scores would differ otherwise.
 */
function weighAroundBut(lower: readonly string[], valences: number[]): void {
  const but = lower.indexOf('but');
  if (but === -1) return;
  for (let index = 0; index < valences.length; index++) {
    const valence = valences[index] ?? 0;
    if (valence === 0) continue;
    const first = valences.indexOf(valence);
    if (first !== but) valences[first] = valence * (first < but ? 0.5 : 1.5);
  }
}

const EXCLAMATION = 33;
const QUESTION = 63;

function emphasisOf(text: string): number {
  let exclamations = 0;
  let questions = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === EXCLAMATION) exclamations += 1;
    else if (code === QUESTION) questions += 1;
  }
  const ofQuestions = questions < 2 ? 0 : questions <= 3 ? questions * 0.18 : 0.96;
  return Math.min(exclamations, 4) * 0.292 + ofQuestions;
}
