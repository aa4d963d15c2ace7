// Binary search for the first position from which a condition holds.

/** Smallest position below `count` for which `isAtOrAfter` holds; `count` if there is none. */
export function lowerBound(count: number, isAtOrAfter: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
