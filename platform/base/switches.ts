// Named parts that a test or a benchmark can switch off. The product switches nothing off.

/** The names that are switched off. They may change at any time. */
export interface SwitchedOff {
  has(name: string): boolean;
}

export const ALL_ON: SwitchedOff = { has: () => false };
