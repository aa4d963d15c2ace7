// `npm run methodology -- same|other`: records the texts of the models after a change. `same`: the same inputs give the same figures as
// before, and the version stays. `other`: they do not, and the version is raised.
import { writeFileSync } from 'node:fs';
import {
  changedFamilies,
  type Figures,
  METHODOLOGY_FILE,
  nextMethodology,
  presentTexts,
  recordedMethodology,
} from './methodology.ts';

const [figures] = process.argv.slice(2);
const recorded = recordedMethodology();
const texts = presentTexts();
const changed = changedFamilies(recorded.texts, texts);

if (changed.length === 0)
  console.log(`Nothing has changed since methodology_version ${recorded.version} was recorded.`);
else if (figures !== 'same' && figures !== 'other') {
  console.error(
    `The models or the default policies of ${changed.join(', ')} have changed. Say whether the same inputs still give the same figures: npm run methodology -- same, or npm run methodology -- other.`,
  );
  process.exitCode = 2;
} else {
  const next = nextMethodology(recorded, texts, figures satisfies Figures);
  writeFileSync(METHODOLOGY_FILE, `${JSON.stringify(next, null, 2)}\n`);
  console.log(
    `methodology_version ${next.version}${figures === 'other' ? ': state in CHANGELOG.md what has changed, with this version' : ' stays'}.`,
  );
}
