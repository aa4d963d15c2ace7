// What scripts take from the browser and cannot compute: the clock and randomness.
export const nowMs = (): number => Date.now();
export const randomShare = (): number => Math.random();
