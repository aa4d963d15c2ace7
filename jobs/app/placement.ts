// Where each family is computed: on the engine that `WAREHOUSE` names, unless `PLACEMENT` names another one for the family.
import { nearestName } from '../../platform/base/nearest-name.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { SettingsProblem } from '../../platform/settings/settings-error.ts';
import { HOMES, type Home } from '../engine/placed/part.ts';

type PlacementSettings = Pick<Settings, 'warehouse' | 'placement'>;

/** The families that `PLACEMENT` names, each with its home. */
export const namedHomes = ({
  placement,
}: Pick<Settings, 'placement'>): readonly (readonly [family: string, home: string])[] =>
  placement
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [family = '', home = ''] = entry.split(/\s*[:=]\s*/);
      return [family, home];
    });

export interface Homes {
  readonly of: (family: string) => Home;
  /** Whether the families have more than one home. */
  readonly isDivided: boolean;
  readonly usesTrino: boolean;
}

/** `families`: the names of all families. */
export function homesOf(settings: PlacementSettings, families: readonly string[]): Homes {
  const named = new Map(namedHomes(settings));
  const of = (family: string): Home => HOMES.find((home) => home === named.get(family)) ?? settings.warehouse;
  const used = new Set(families.map(of));
  return { of, isDivided: used.size > 1, usesTrino: used.has('trino') };
}

/** Families that do not exist or are named twice. */
export function problemsOfPlacement(
  settings: PlacementSettings,
  families: readonly string[],
): readonly SettingsProblem[] {
  const named = namedHomes(settings);
  return named.flatMap(([family], index): SettingsProblem[] => {
    const where = 'placement';
    if (!families.includes(family))
      return [
        { where, given: family, expected: 'the name of a family', closest: nearestName(family, families) },
      ];
    if (named.findIndex(([other]) => other === family) === index) return [];
    return [{ where, given: `${family} twice`, expected: 'each family once', closest: null }];
  });
}
