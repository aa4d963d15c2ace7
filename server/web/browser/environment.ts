// What scripts take from the browser and cannot compute: the clock, randomness, whether the screen is narrow, and the width of the page.
export const nowMs = (): number => Date.now();
export const randomShare = (): number => Math.random();
/** Determined on load; turning a phone does not change it. */
export const isNarrow: boolean = matchMedia('(max-width: 40rem)').matches;
/** CSS pixels at the time of the call. */
export const pageWidth = (): number => document.documentElement.clientWidth;
