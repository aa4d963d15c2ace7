// Rounding of published figures.

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
