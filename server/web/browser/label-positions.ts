// Where the labels of horizontal lines go, so that no two overlap: above their line, below it, or next to a label that is already there.
// A label for which there is no room is left out; the legend has it.

export interface LineLabel {
  /** Of the line, in pixels from the top. */
  readonly y: number;
  readonly width: number;
}

export interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface LabelBox extends Bounds {
  /** Of the label in the given list. */
  readonly index: number;
}

interface Layout {
  readonly bounds: Bounds;
  readonly height: number;
  /** Between labels, and between a label and its line. */
  readonly gap: number;
}

const overlaps = (a: Bounds, b: Bounds): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Boxes within the bounds, no two of which overlap. Earlier labels are placed first. */
export function labelBoxes(labels: readonly LineLabel[], layout: Layout): readonly LabelBox[] {
  const placed: LabelBox[] = [];
  labels.forEach((label, index) => {
    const box = candidates(label, placed, layout).find(
      (one) => isInside(one, layout.bounds) && !placed.some((other) => overlaps(one, other)),
    );
    if (box !== undefined) placed.push({ ...box, index });
  });
  return placed;
}

const isInside = (box: Bounds, { left, right, top, bottom }: Bounds): boolean =>
  box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;

/** At the left end first, then to the right of each label that is placed. */
function candidates(
  { y, width }: LineLabel,
  placed: readonly LabelBox[],
  { bounds, height, gap }: Layout,
): Bounds[] {
  const starts = [bounds.left + gap, ...placed.map(({ right }) => right + 2 * gap)].toSorted((a, b) => a - b);
  return starts.flatMap((left) => [
    { left, right: left + width, top: y - gap - height, bottom: y - gap },
    { left, right: left + width, top: y + gap, bottom: y + gap + height },
  ]);
}
