// What scripts take from the browser and cannot compute: the clock, randomness, whether it is a phone, and how wide the page is.
export const nowMs = (): number => Date.now();
export const randomShare = (): number => Math.random();
/** At load: a phone that is turned keeps what it has. */
export const isNarrow: boolean = matchMedia('(max-width: 40rem)').matches;
/** CSS pixels, at the time of the call. */
export const pageWidth = (): number => document.documentElement.clientWidth;
